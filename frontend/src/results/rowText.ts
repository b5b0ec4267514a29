import type { Matcher } from "../language/matchRanges";

export interface Segment {
  /** The segment's characters in the original text. */
  readonly text: string;
  readonly isMatch: boolean;
  /** Offset of the segment in the original text; its identity in a list. */
  readonly from: number;
}

/** Number of characters of a message that a row of one line shows at most. */
const LINE_LENGTH = 600;
/** A first match behind this many characters is brought into view. */
const VISIBLE = 120;
const BEFORE_MATCH = 40;

/** Splits a text, or the part of it from `start` to `end`, into its matched parts and what stands between them. */
export function segments(text: string, matcher: Matcher, start = 0, end = text.length): Segment[] {
  const parts: Segment[] = [];
  let done = start;
  for (const { from, to } of matcher(text)) {
    if (to <= done || from >= end) continue;
    if (from > done) parts.push({ text: text.slice(done, from), isMatch: false, from: done });
    const matched = { from: Math.max(from, done), to: Math.min(to, end) };
    parts.push({ text: text.slice(matched.from, matched.to), isMatch: true, from: matched.from });
    done = matched.to;
  }
  if (done < end || parts.length === 0)
    parts.push({ text: text.slice(done, end), isMatch: false, from: done });
  return parts;
}

/**
 * Returns the part of a message that a row of one line shows: its beginning, or the part around a first match far
 * inside.
 */
export function lineSegments(body: string, matcher: Matcher): Segment[] {
  const first = matcher(body)[0];
  const isNear = first === undefined || first.from < VISIBLE;
  const start = isNear ? 0 : characterStart(body, wordStart(body, first.from - BEFORE_MATCH));
  return segments(body, matcher, start, characterStart(body, Math.min(body.length, start + LINE_LENGTH)));
}

/** Returns the offset, or the one before it where the offset would divide a surrogate pair. */
function characterStart(text: string, offset: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) ? offset - 1 : offset;
}

function wordStart(line: string, from: number): number {
  const space = line.indexOf(" ", from);
  return space >= 0 && space < from + BEFORE_MATCH ? space + 1 : from;
}

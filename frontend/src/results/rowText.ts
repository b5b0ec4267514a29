import type { Matcher, TextRange } from "../language/matchRanges";

export interface Segment {
  /** Text of the segment, as in the original text. */
  readonly text: string;
  readonly isMatch: boolean;
  /** Offset of the segment in the original text; its identity in a list. */
  readonly from: number;
}

/** Number of characters within which the first match must begin for the row to show the message's beginning. */
const VISIBLE = 120;
const BEFORE_MATCH = 40;

/** Width in CSS pixels that the characters of a row exceed on average, in either density. */
const NARROWEST = 6;
/** The length of a line grows in steps, so that few rows are drawn again while a list is resized. */
const LENGTH_STEP = 50;

/** Returns the number of characters that fill a row of one line, in a list of this width in CSS pixels. */
export function lineLengthOf(width: number): number {
  return LENGTH_STEP * Math.ceil(width / NARROWEST / LENGTH_STEP);
}

/** Splits a text into matched parts and the text between them. */
export function segments(text: string, matcher: Matcher): Segment[] {
  return split(text, matcher(text), 0, text.length);
}

/**
 * Returns the part of a message that a row of one line shows: its beginning, or the part around a first match that is
 * far from the beginning. The part has at most `length` UTF-16 characters.
 */
export function lineSegments(body: string, matcher: Matcher, length: number): Segment[] {
  const matches = matcher(body);
  const first = matches[0];
  const isNear = first === undefined || first.from < VISIBLE;
  const start = isNear ? 0 : characterStart(body, wordStart(body, first.from - BEFORE_MATCH));
  return split(body, matches, start, characterStart(body, Math.min(body.length, start + length)));
}

/** Splits the part of a text from `start` to `end` at the matches in it. */
function split(text: string, matches: readonly TextRange[], start: number, end: number): Segment[] {
  const parts: Segment[] = [];
  let done = start;
  for (const { from, to } of matches) {
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

/** Returns the offset, or the offset before it if it would split a surrogate pair. */
function characterStart(text: string, offset: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) ? offset - 1 : offset;
}

function wordStart(line: string, from: number): number {
  const space = line.indexOf(" ", from);
  return space >= 0 && space < from + BEFORE_MATCH ? space + 1 : from;
}

import type { Matcher } from "../language/matchRanges";

export interface Segment {
  readonly text: string;
  readonly isMatch: boolean;
  /** Offset of the segment in its text; its identity in a list. */
  readonly from: number;
}

/** As much of a message as a row of one line ever shows. */
const LINE_LENGTH = 600;
/** A first match behind this many characters is brought into view. */
const VISIBLE = 120;
const BEFORE_MATCH = 40;

/** Splits a text into its matched parts and what stands between them. */
export function segments(text: string, matcher: Matcher): Segment[] {
  const parts: Segment[] = [];
  let end = 0;
  for (const { from, to } of matcher(text)) {
    if (from > end) parts.push({ text: text.slice(end, from), isMatch: false, from: end });
    parts.push({ text: text.slice(from, to), isMatch: true, from });
    end = to;
  }
  if (end < text.length || parts.length === 0)
    parts.push({ text: text.slice(end), isMatch: false, from: end });
  return parts;
}

/** A message on one line: line breaks become a sign, and a match far inside is moved to where it can be seen. */
export function lineSegments(body: string, matcher: Matcher): Segment[] {
  const line = body.replaceAll(/[ \t]*\r?\n\s*/g, " ↵ ").replaceAll("\t", " ");
  const first = matcher(line)[0];
  if (first === undefined || first.from < VISIBLE) return segments(line.slice(0, LINE_LENGTH), matcher);
  const start = wordStart(line, first.from - BEFORE_MATCH);
  return segments(`… ${line.slice(start, start + LINE_LENGTH)}`, matcher);
}

function wordStart(line: string, from: number): number {
  const space = line.indexOf(" ", from);
  return space >= 0 && space < from + BEFORE_MATCH ? space + 1 : from;
}

import type { Matcher, TextRange } from "../language/matchRanges";

/** A part of a text that matches the query, or a part between two matches. */
export interface Segment {
  /** Text of the segment, as in the original text. */
  readonly text: string;
  readonly isMatch: boolean;
  /** Offset of the segment in the original text; its identity in a list. */
  readonly from: number;
}

/** Splits a text into matched parts and the text between them. */
export function segments(text: string, matcher: Matcher): Segment[] {
  return splitAt(text, matcher(text), 0, text.length);
}

/** Splits the part of a text from `start` to `end` at the matches in it. */
export function splitAt(text: string, matches: readonly TextRange[], start: number, end: number): Segment[] {
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

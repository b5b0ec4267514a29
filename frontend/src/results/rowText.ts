import type { Matcher, TextRange } from "../language/matchRanges";
import { type Segment, splitAt } from "../text/segments";
import { isPlain } from "../text/signs";

/** Largest number of characters before the first match for which a row shows the message's beginning. */
const MAX_BEFORE = 120;
/** Number of characters of a match that must fit into the line, if it has so many. */
const MATCH_SHOWN = 8;
/** Largest number of characters that a row shows before a match far inside the message. Short lines show fewer. */
const MAX_KEPT_BEFORE = 40;

/** Widths in CSS pixels of all characters of the rows' own font. */
const CHARACTER_WIDTHS = { comfortable: 7.5, compact: 6.9 } as const;
/** The length of a line grows in steps, so that few rows are drawn again while a list is resized. */
const LENGTH_STEP = 10;

/**
 * Returns a number of printable ASCII characters that is larger than what fits into a message of one line and of this
 * width in CSS pixels, so that the line ends with an ellipsis where the message is cut.
 */
export function lineLengthOf(width: number, density: keyof typeof CHARACTER_WIDTHS): number {
  const fitting = Math.max(width, 0) / CHARACTER_WIDTHS[density];
  return LENGTH_STEP * Math.ceil((fitting + 1) / LENGTH_STEP);
}

/**
 * Returns the largest number of UTF-16 characters of a message that a line shows. Characters of other scripts may be
 * narrower, and a line break is drawn as one sign with all spaces around it.
 */
function shownLength(text: string, lineLength: number): number {
  return isPlain(text.slice(0, lineLength)) ? lineLength : 2 * lineLength;
}

/**
 * Returns the part of a message that a row of one line shows: its beginning, or the part around a first match that is
 * far from the beginning. `lineLength` is the number of printable ASCII characters that fill the line.
 */
export function lineSegments(body: string, matcher: Matcher, lineLength: number): Segment[] {
  const matches = matcher(body);
  const first = matches[0];
  const start =
    first === undefined || isNear(first, lineLength)
      ? 0
      : characterStart(
          body,
          wordStart(body, first.from, Math.min(MAX_KEPT_BEFORE, Math.floor(lineLength / 3))),
        );
  const length = shownLength(body.slice(start, start + lineLength), lineLength);
  return splitAt(body, matches, start, characterStart(body, Math.min(body.length, start + length)));
}

/** Returns whether the beginning of a match is visible in a line that shows the message's beginning. */
function isNear({ from, to }: TextRange, lineLength: number): boolean {
  return from < MAX_BEFORE && Math.min(to, from + MATCH_SHOWN) <= lineLength - LENGTH_STEP;
}

/** Returns the offset, or the offset before it if it would split a surrogate pair. */
function characterStart(text: string, offset: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) ? offset - 1 : offset;
}

/** Returns where the first word begins within `length` characters before `match`, or where these characters begin. */
function wordStart(line: string, match: number, length: number): number {
  const from = Math.max(0, match - length);
  const space = line.indexOf(" ", from);
  return space >= 0 && space < match ? space + 1 : from;
}

/** A part of a text: characters drawn unchanged, or one character drawn as a sign. */
export interface Piece {
  readonly text: string;
  /** The sign that is drawn instead of the text; null for text that is drawn unchanged. */
  readonly sign: string | null;
  /** UTF-16 offset of the piece in its text. */
  readonly from: number;
}

/**
 * Scripts whose words are written with zero-width joiners and non-joiners; emoji use the joiner as well. Between
 * characters of these scripts, joiners only affect how characters are drawn.
 */
const JOINING =
  "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F" +
  [
    "Arab",
    "Syrc",
    "Nkoo",
    "Mong",
    "Deva",
    "Beng",
    "Guru",
    "Gujr",
    "Orya",
    "Taml",
    "Telu",
    "Knda",
    "Mlym",
    "Sinh",
  ]
    .concat(["Khmr", "Mymr", "Tibt"])
    .map((script) => `\\p{Script=${script}}`)
    .join("");
const NO_JOINER = `(?!(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}]))`;

/** Format characters that have a glyph of their own: Arabic, Syriac and Kaithi number signs. */
const DRAWN = "\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}";

/** Letters that are drawn as nothing, which Unicode does not count as format characters. */
const BLANK_LETTERS = "\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u3164\\uFFA0";

/**
 * Characters that draw nothing or change how others are drawn: control characters, bidirectional overrides, zero-width
 * characters, line separators, and halves of surrogate pairs. Tab and newline keep their meaning.
 */
const HIDDEN = new RegExp(
  `${NO_JOINER}(?![\\t\\n${DRAWN}])[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}${BLANK_LETTERS}]`,
  "gu",
);

const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * Returns true for text that is drawn as it is, and whose direction cannot affect its surroundings, as most logged text.
 * Lists draw it without further elements and searches, which take longer than the text itself.
 */
export function isPlain(text: string): boolean {
  return PRINTABLE_ASCII.test(text);
}

/** Splits a text so that every hidden character is a piece of its own, with the sign that is drawn for it. */
export function pieces(text: string): Piece[] {
  if (text !== "" && isPlain(text)) return [{ text, sign: null, from: 0 }];
  const parts: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (index > end) parts.push({ text: text.slice(end, index), sign: null, from: end });
    end = index + found.length;
    parts.push({ text: found, sign: signOf(found), from: index });
  }
  if (end < text.length) parts.push({ text: text.slice(end), sign: null, from: end });
  return parts;
}

const SPACES = /[ \t\r\n]+/g;

/** Like `pieces`, for text on one line: draws tabs, and line breaks with the space around them, as signs as well. */
export function linePieces(text: string): Piece[] {
  const parts: Piece[] = [];
  let end = 0;
  const add = (part: string, sign: string, from: number) => {
    for (const piece of pieces(text.slice(end, from))) parts.push({ ...piece, from: end + piece.from });
    parts.push({ text: part, sign, from });
    end = from + part.length;
  };
  for (const { 0: spaces, index } of text.matchAll(SPACES)) {
    if (spaces.includes("\n")) add(spaces, " ↵ ", index);
    else for (const tab of spaces.matchAll(/\t/g)) add("\t", " ", index + tab.index);
  }
  for (const piece of pieces(text.slice(end))) parts.push({ ...piece, from: end + piece.from });
  return parts;
}

/** Returns the text with signs for its hidden characters, for places that show plain text only, such as tooltips. */
export function visibleText(text: string): string {
  return pieces(text)
    .map((piece) => piece.sign ?? piece.text)
    .join("");
}

/**
 * Returns an escape sequence as in source code, because few fonts have pictures of control characters (U+2400 to
 * U+2426).
 */
export function signOf(character: string): string {
  if (character === "\r") return "\\r";
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (digits.length <= 2) return `\\x${digits.padStart(2, "0")}`;
  return digits.length <= 4 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}

import type { PositiveTerm } from "./positiveTerms";
import { resolveEscapes } from "./tokenize";

/** A match, in UTF-16 offsets; the end is exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Finds the parts of a message that match the query. */
export type Matcher = (text: string) => TextRange[];

/** Finds no matches, because matches of a query are marked in the message only. */
export const noMatches: Matcher = () => [];

/** A letter or digit as the language counts them: ASCII ones, and everything outside ASCII. */
const WORD_CHARACTER = "[0-9A-Za-z\\u0080-\\u{10FFFF}]";
const WORD_START = `(?<!${WORD_CHARACTER})`;
const WORD_END = `(?!${WORD_CHARACTER})`;
const BETWEEN_WORDS = "[^0-9A-Za-z\\u0080-\\u{10FFFF}]+";
/** Matches each run of letters and digits, so each word as the language counts them. */
export const WORDS = new RegExp(`${WORD_CHARACTER}+`, "gu");

// NUL stands for a star while words are found: it cannot occur in a query.
const STAR = "\0";
const UNESCAPED_STARS = /(?<!(?<!\\)\\)\*+/;
const WORDS_WITH_STARS = new RegExp(`(?:${WORD_CHARACTER}|\\0)+`, "gu");
/** Largest number of pieces between the stars of a marked term. Terms with more pieces are not marked. */
const MAX_PIECES = 4;
/**
 * Largest number of characters that a star of a marked term stands for, if the term has so many pieces. Each star
 * multiplies the work on a long word, such as an encoded file.
 */
const STAR_LENGTHS: Readonly<Record<number, number>> = { 3: 4_096, 4: 200 };

const MAX_RANGES = 500;
const LONGEST_TEXT = 65_536;
/** Largest number of ways through a marked expression, as `waysThrough` counts them. */
const MAX_WAYS = 1_000;

interface CompiledTerm {
  readonly pattern: RegExp;
  readonly longestText: number;
}

export function createMatcher(terms: readonly PositiveTerm[]): Matcher {
  const compiled = terms.flatMap((term) => compileTerm(term) ?? []);
  return (text) => merge(compiled.flatMap((term) => findAll(term, text)));
}

function compileTerm(term: PositiveTerm): CompiledTerm | null {
  if (term.kind === "regex") return compileExpression(term.text);
  const source = term.kind === "words" ? wordsSource(term.text) : wildcardSource(term.text);
  return source === null ? null : { pattern: new RegExp(source, "gu"), longestText: LONGEST_TEXT };
}

/** Matches these words next to each other, with any punctuation between them. */
function wordsSource(text: string): string | null {
  const words = text.match(WORDS);
  return words === null ? null : WORD_START + words.map(literal).join(BETWEEN_WORDS) + WORD_END;
}

/** `*out*` marks only the written part. In every other form a star stands for a part of its word. */
function wildcardSource(pattern: string): string | null {
  const pieces = pattern.split(UNESCAPED_STARS).map(resolveEscapes);
  if (pieces.length === 3 && pieces[0] === "" && pieces[2] === "") return literal(pieces[1] ?? "");
  if (pieces.length > MAX_PIECES) return null;
  const words = pieces.join(STAR).match(WORDS_WITH_STARS) ?? [];
  if (words.every((word) => /^\0*$/.test(word))) return null;
  const star = `${WORD_CHARACTER}{0,${STAR_LENGTHS[pieces.length] ?? ""}}`;
  const sources = words.map((word) => word.split(STAR).map(literal).join(star));
  return WORD_START + sources.join(BETWEEN_WORDS) + WORD_END;
}

/** Matches the text literally, except that ASCII letters match in either case. */
function literal(text: string): string {
  return text
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
    .replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/**
 * The server runs expressions in RE2, in linear time, while the browser backtracks. Expressions that could take the
 * browser long are searched in less text or not marked at all: the server has already decided which records match.
 */
function compileExpression(source: string): CompiledTerm | null {
  const withoutClasses = source.replaceAll(/\\[\s\S]/g, "x").replaceAll(/\[[^\]]*\]/g, "x");
  const unbounded = withoutClasses.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const ways = waysThrough(withoutClasses);
  if (unbounded > 2 || ways > MAX_WAYS || /\)[*+{]/.test(withoutClasses)) return null;
  const flagged = /^\(\?([is]+)\)/.exec(source);
  // The language lets "." match a newline and lets case count (backend/language/regexes.py).
  const flags = flagged?.[1]?.includes("i") ? "gsi" : "gs";
  const body = flagged === null ? source : source.slice(flagged[0].length);
  try {
    return { pattern: new RegExp(body, flags), longestText: searchedLength(unbounded, ways) };
  } catch {
    return null;
  }
}

/**
 * Returns the largest number of characters that are searched for an expression with this number of unbounded
 * parts. The longest time of a search grows with the number of ways, and with a power of the length.
 */
function searchedLength(unbounded: number, ways: number): number {
  if (unbounded === 0) return 4096;
  return Math.floor((unbounded === 1 ? 4096 : 600) / ways ** (1 / (unbounded + 1)));
}

/**
 * Returns an upper bound of the number of ways in which an expression can match at one place, apart from its
 * unbounded parts: the product of two for each optional part and of each group's number of alternatives.
 */
function waysThrough(expression: string): number {
  // A question mark that begins a group or makes a repetition lazy is no optional part.
  const marked = expression.replaceAll("(?", "(").replaceAll(/([*+?}])\?/g, "$1");
  let ways = 1;
  const outer: number[] = [];
  let alternatives = 1;
  for (const character of marked) {
    if (character === "?") ways *= 2;
    if (character === "|") alternatives += 1;
    if (character === "(") {
      outer.push(alternatives);
      alternatives = 1;
    }
    if (character === ")") {
      ways *= alternatives;
      alternatives = outer.pop() ?? 1;
    }
  }
  return ways * alternatives;
}

function findAll(term: CompiledTerm, text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (const match of text.slice(0, term.longestText).matchAll(term.pattern)) {
    if (match[0] !== "") ranges.push({ from: match.index, to: match.index + match[0].length });
    if (ranges.length >= MAX_RANGES) break;
  }
  return ranges;
}

function merge(ranges: TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from)) {
    const previous = merged.at(-1);
    if (previous === undefined || range.from > previous.to) merged.push(range);
    else if (range.to > previous.to) merged[merged.length - 1] = { from: previous.from, to: range.to };
  }
  return merged;
}

/**
 * Quoted texts and regular expressions are whole pieces, because they may contain parentheses and `|`. A `/` begins a
 * regular expression only behind white space, a parenthesis, a colon or a minus.
 */
const PIECES =
  /"(?:[^"\\]|\\.)*"|(?<=[ \t\r\n\f\v(:-])\/(?:[^/\\]|\\[\s\S])+\/(?![^ \t\r\n\f\v()"])|[()|]|[^"()|/]+|\//g;

/** A piece of the text after `| stats`: a quoted text, a regular expression, `(`, `)`, `|`, or other text. */
export interface StatsPiece {
  readonly text: string;
  /** UTF-16 offset into the text after `| stats`. */
  readonly from: number;
  /** Number of parentheses around the piece. Parentheses are not inside of themselves. */
  readonly depth: number;
}

/** Splits the text after `| stats` into its pieces, in order. */
export function statsPieces(stats: string): StatsPiece[] {
  let depth = 0;
  return [...stats.matchAll(PIECES)].map(({ 0: text, index }) => {
    if (text === ")") depth -= 1;
    const piece = { text, from: index, depth };
    if (text === "(") depth += 1;
    return piece;
  });
}

import type { TextRange } from "../language/matchRanges";
import { tokenize } from "../language/tokenize";

/**
 * Returns the range to underline for an error at `position`, in code points as the API counts: the token there, or the
 * last character when something is missing at the end. The text is not empty.
 */
export function problemRange(text: string, position: number): TextRange {
  const offset = [...text].slice(0, position).join("").length;
  const token = tokenize(text).find(({ from, to }) => from <= offset && offset < to);
  if (token !== undefined) return { from: token.from, to: token.to };
  const from = Math.min(offset, text.length - 1);
  return { from, to: from + 1 };
}

import { statsPieces } from "../language/statsPieces";
import { isWideEnough, suggestedStep } from "../language/timeStep";
import { parseDuration } from "../time/duration";
import type { TimeWindow } from "../time/timeExpression";

/** Matches the end of the text before the parenthesis of `time(…)`. Names of fields may contain all characters before it. */
const TIME = /(?<![\w.@/-])time$/;

/**
 * Returns the text with wider time buckets if the window has too many buckets of its width; otherwise the text itself.
 * Leaves `time(…)` in quotes, in regular expressions and in the queries of `count_if(…)` as it is.
 */
export function withFittingStep(text: string, window: TimeWindow): string {
  const pieces = statsPieces(text);
  const open = pieces.findIndex(
    (piece, index) => piece.text === "(" && piece.depth === 0 && TIME.test(pieces[index - 1]?.text ?? ""),
  );
  const width = pieces[open + 1];
  const step = open < 0 || width === undefined ? null : parseDuration(width.text);
  if (width === undefined || step === null || isWideEnough(step, window)) return text;
  return text.slice(0, width.from) + suggestedStep(window) + text.slice(width.from + width.text.length);
}

import type { Nanoseconds } from "./nanoseconds";
import { NS_PER_SECOND } from "./nanoseconds";
import type { TimeWindow } from "./timeExpression";

const QUARTER: Nanoseconds = 900n * NS_PER_SECOND;

/** Returns the whole quarters of an hour in the window; null if it has none. */
export function wholeQuarters({ start, end }: TimeWindow): TimeWindow | null {
  const first = -floor(-start);
  const last = floor(end);
  return first < last ? { start: first, end: last } : null;
}

/** Returns the last quarter of an hour that is not after the time. Division of bigints rounds towards zero. */
function floor(time: Nanoseconds): Nanoseconds {
  const rest = time % QUARTER;
  return time - (rest < 0n ? rest + QUARTER : rest);
}

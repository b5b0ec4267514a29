import type { Nanoseconds } from "../time/nanoseconds";
import { NS_PER_SECOND } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

/** Widths of time buckets to choose from, as they are written in `time(…)`, with their seconds. */
export const TIME_STEPS: readonly (readonly [text: string, seconds: bigint])[] = [
  ["1s", 1n],
  ["5s", 5n],
  ["15s", 15n],
  ["30s", 30n],
  ["1m", 60n],
  ["5m", 300n],
  ["10m", 600n],
  ["30m", 1_800n],
  ["1h", 3_600n],
  ["3h", 10_800n],
  ["6h", 21_600n],
  ["12h", 43_200n],
  ["1d", 86_400n],
  ["7d", 604_800n],
];

/** Largest number of buckets that a suggested width gives, so that users can tell points apart. */
const MAX_SUGGESTED = 100n;
/** Largest number of buckets that the API computes. */
const MAX_BUCKETS = 1_000n;

/** Returns the smallest width that gives at most 100 buckets in the window, or the largest width if none does. */
export function suggestedStep(window: TimeWindow): string {
  const span = window.end - window.start;
  const fitting = TIME_STEPS.find(([, seconds]) => span <= seconds * NS_PER_SECOND * MAX_SUGGESTED);
  return (fitting ?? TIME_STEPS[TIME_STEPS.length - 1] ?? ["7d"])[0];
}

/**
 * Returns true if the window has at most MAX_BUCKETS buckets of the width `step`, in nanoseconds. Buckets are counted
 * from the Unix epoch, so that the first and the last one may extend beyond the window.
 */
export function isWideEnough(step: Nanoseconds, window: TimeWindow): boolean {
  return step > 0n && (window.end - 1n) / step - window.start / step < MAX_BUCKETS;
}

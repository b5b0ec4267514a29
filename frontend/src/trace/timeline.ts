import type { Log } from "../api/types";
import type { Nanoseconds } from "../time/nanoseconds";
import { parseRfc3339 } from "../time/nanoseconds";

/** Times of a trace's first and last log, both inclusive. */
export interface TraceExtent {
  readonly first: Nanoseconds;
  readonly last: Nanoseconds;
}

/** Returns the times of the first and the last log; null without logs. */
export function extentOf(first: Log | undefined, last: Log | undefined): TraceExtent | null {
  const start = first === undefined ? null : parseRfc3339(first.timestamp);
  const end = last === undefined ? null : parseRfc3339(last.timestamp);
  return start === null || end === null ? null : { first: start, last: end < start ? start : end };
}

/** Returns the position of a time between the first log (0) and the last log (100). */
export function percentOf(time: Nanoseconds, { first, last }: TraceExtent): number {
  if (last === first) return 0;
  const percent = Number(((time - first) * 100_000n) / (last - first)) / 1_000;
  return Math.min(Math.max(percent, 0), 100);
}

const UNITS: readonly [string, bigint][] = [
  ["h", 3_600_000_000_000n],
  ["min", 60_000_000_000n],
  ["s", 1_000_000_000n],
  ["ms", 1_000_000n],
  ["µs", 1_000n],
];

/** Returns a duration in its largest fitting unit, with three digits after the point: `1.250 s`. */
export function formatOffset(offset: Nanoseconds): string {
  for (const [unit, size] of UNITS) {
    if (offset < size) continue;
    const thousandths = (offset * 1_000n) / size;
    return `${thousandths / 1_000n}.${String(thousandths % 1_000n).padStart(3, "0")} ${unit}`;
  }
  return offset === 0n ? "0" : `${offset} ns`;
}

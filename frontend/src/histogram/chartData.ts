import type { HistogramAnswer } from "../api/types";
import type { Severity } from "../severity/severity";
import { SEVERITIES } from "../severity/severity";
import type { Nanoseconds } from "../time/nanoseconds";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

export interface ChartBucket {
  readonly start: Nanoseconds;
  readonly end: Nanoseconds;
  readonly total: number;
  /** Counts above zero, from the most severe down, as they are stacked from the axis up. */
  readonly counts: readonly (readonly [Severity, number])[];
}

export interface ChartData {
  readonly window: TimeWindow;
  readonly interval: Nanoseconds;
  readonly buckets: readonly ChartBucket[];
  readonly total: number;
  /** Severities that occur, from the most severe down, each with its count in the whole window. */
  readonly totals: readonly (readonly [Severity, number])[];
}

const MOST_SEVERE_FIRST = SEVERITIES.toReversed();

/** The API's histogram as numbers and instants; buckets with unreadable starts are an API error and throw. */
export function toChartData(answer: HistogramAnswer, window: TimeWindow): ChartData {
  const interval = BigInt(answer.interval_ns);
  const buckets = answer.buckets.map((bucket): ChartBucket => {
    const start = parseRfc3339(bucket.start);
    if (start === null) throw new Error(`the histogram has a bucket that starts at ${bucket.start}`);
    return { start, end: start + interval, total: bucket.total, counts: present(bucket.by_severity) };
  });
  const sums: Record<string, number> = {};
  for (const [severity, count] of buckets.flatMap(({ counts }) => counts)) {
    sums[severity] = (sums[severity] ?? 0) + count;
  }
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0);
  return { window, interval, buckets, total, totals: present(sums) };
}

function present(counts: Record<string, number>): [Severity, number][] {
  return MOST_SEVERE_FIRST.flatMap((severity): [Severity, number][] => {
    const count = Object.hasOwn(counts, severity) ? counts[severity] : undefined;
    return count === undefined || count === 0 ? [] : [[severity, count]];
  });
}

/** Returns the data without these severities. Totals are those of the logs that stay. */
export function withoutSeverities(data: ChartData, hidden: ReadonlySet<Severity>): ChartData {
  if (!data.totals.some(([severity]) => hidden.has(severity))) return data;
  const isShown = ([severity]: readonly [Severity, number]) => !hidden.has(severity);
  const buckets = data.buckets.map((bucket): ChartBucket => {
    const counts = bucket.counts.filter(isShown);
    return { ...bucket, counts, total: sumOf(counts) };
  });
  const totals = data.totals.filter(isShown);
  return { ...data, buckets, totals, total: sumOf(totals) };
}

function sumOf(counts: readonly (readonly [Severity, number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** One severity's bar tops: its own count and those of everything more severe, which stands below it. */
export function stackedCounts(data: ChartData, severity: Severity): number[] {
  const rank = SEVERITIES.indexOf(severity);
  return data.buckets.map((bucket) =>
    bucket.counts.reduce((sum, [other, count]) => (SEVERITIES.indexOf(other) >= rank ? sum + count : sum), 0),
  );
}

/**
 * Returns the whole buckets that a dragged span touches, cut to the window, so that the search covers the marked bars.
 */
export function selectedWindow(data: ChartData, from: Nanoseconds, to: Nanoseconds): TimeWindow | null {
  const touched = data.buckets.filter((bucket) => bucket.start < to && bucket.end > from);
  const first = touched[0];
  const last = touched.at(-1);
  if (first === undefined || last === undefined) return null;
  return { start: later(first.start, data.window.start), end: earlier(last.end, data.window.end) };
}

/** Returns the range of one bar, cut to the window; null for a bucket without logs, which no bar shows. */
export function clickedWindow(data: ChartData, index: number): TimeWindow | null {
  const bucket = data.buckets[index];
  return bucket === undefined || bucket.total === 0 ? null : selectedWindow(data, bucket.start, bucket.end);
}

// Math.max and Math.min take no bigints.
function later(a: Nanoseconds, b: Nanoseconds): Nanoseconds {
  if (a > b) return a;
  return b;
}

function earlier(a: Nanoseconds, b: Nanoseconds): Nanoseconds {
  if (a < b) return a;
  return b;
}

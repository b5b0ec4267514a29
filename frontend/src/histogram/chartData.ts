import type { HistogramAnswer } from "../api/types";
import type { Nanoseconds } from "../time/nanoseconds";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import type { ChartSeries } from "./chartSeries";
import { seriesOf } from "./chartSeries";

export interface ChartBucket {
  readonly start: Nanoseconds;
  readonly end: Nanoseconds;
  readonly total: number;
  /** The series with logs in this bucket, as they are stacked from the axis up, with their counts. */
  readonly counts: readonly (readonly [ChartSeries, number])[];
}

export interface ChartData {
  readonly window: TimeWindow;
  readonly interval: Nanoseconds;
  readonly buckets: readonly ChartBucket[];
  readonly total: number;
  /** The field whose values are the series, null for severities. */
  readonly by: string | null;
  /** Series with logs in the window, as they are stacked from the axis up. */
  readonly series: readonly ChartSeries[];
}

/** The API's histogram as numbers and instants; buckets with unreadable starts are an API error and throw. */
export function toChartData(answer: HistogramAnswer, window: TimeWindow): ChartData {
  const interval = BigInt(answer.interval_ns);
  const series = seriesOf(answer);
  const buckets = answer.buckets.map((bucket, index): ChartBucket => {
    const start = parseRfc3339(bucket.start);
    if (start === null) throw new Error(`the histogram has a bucket that starts at ${bucket.start}`);
    const counts = series.flatMap((each): [ChartSeries, number][] => {
      const count = each.counts[index] ?? 0;
      return count === 0 ? [] : [[each, count]];
    });
    return { start, end: start + interval, total: bucket.total, counts };
  });
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0);
  return { window, interval, buckets, total, by: answer.by, series };
}

/** Returns the data without the series with these ids. Totals are those of the logs that stay. */
export function withoutSeries(data: ChartData, hidden: ReadonlySet<string>): ChartData {
  if (!data.series.some(({ id }) => hidden.has(id))) return data;
  const buckets = data.buckets.map((bucket): ChartBucket => {
    const counts = bucket.counts.filter(([{ id }]) => !hidden.has(id));
    return { ...bucket, counts, total: counts.reduce((sum, [, count]) => sum + count, 0) };
  });
  const series = data.series.filter(({ id }) => !hidden.has(id));
  return { ...data, buckets, series, total: series.reduce((sum, { total }) => sum + total, 0) };
}

/** Returns one series' bar tops: its own counts and those of the series that are stacked below it. */
export function stackedCounts(data: ChartData, series: ChartSeries): number[] {
  const ids = data.series.map(({ id }) => id);
  const below = new Set(ids.slice(0, ids.indexOf(series.id) + 1));
  return data.buckets.map((bucket) =>
    bucket.counts.reduce((sum, [{ id }, count]) => (below.has(id) ? sum + count : sum), 0),
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

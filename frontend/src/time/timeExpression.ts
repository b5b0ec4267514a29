import { describeDuration, parseDuration } from "./duration";
import type { Nanoseconds } from "./nanoseconds";
import { NS_PER_SECOND, parseRfc3339, toShortRfc3339 } from "./nanoseconds";

/** A point in time as written in the URL: "now", "now-90m", or RFC 3339. */
export type TimeExpression = string;

/** A range as written in the URL. Relative ends stay relative. */
export interface TimeRange {
  readonly from: TimeExpression;
  readonly to: TimeExpression;
}

/** A range with fixed ends: the start is inclusive, the end exclusive. */
export interface TimeWindow {
  readonly start: Nanoseconds;
  readonly end: Nanoseconds;
  /** Tells apart two reads of the same range, such as before and after a refresh. */
  readonly read?: number;
}

export const DEFAULT_RANGE: TimeRange = { from: "now-1h", to: "now" };
export const RELATIVE_PRESETS = ["5m", "15m", "1h", "6h", "24h", "7d"] as const;

const RELATIVE = /^now(?:-(.+))?$/;

/** Returns the instant of an expression at `now`; null for other text. */
export function resolveTime(expression: TimeExpression, now: Nanoseconds): Nanoseconds | null {
  const relative = RELATIVE.exec(expression);
  if (relative === null) return parseRfc3339(expression);
  if (relative[1] === undefined) return now;
  const back = parseDuration(relative[1]);
  return back === null ? null : now - back;
}

/** Returns the range with both ends fixed at `now`; null if an end cannot be read or the range is empty. */
export function resolveRange(range: TimeRange, now: Nanoseconds): TimeWindow | null {
  const start = resolveTime(range.from, now);
  const end = resolveTime(range.to, now);
  if (start === null || end === null || start >= end) return null;
  return { start, end };
}

export function relativeRange(duration: string): TimeRange {
  return { from: `now-${duration.trim().toLowerCase().replaceAll(/\s+/g, "")}`, to: "now" };
}

export function absoluteRange(window: TimeWindow): TimeRange {
  return { from: toShortRfc3339(window.start), to: toShortRfc3339(window.end) };
}

/** Returns the duration of a range that ends now, such as "1h"; null for every other range. */
export function relativeDuration(range: TimeRange): string | null {
  if (range.to !== "now") return null;
  return RELATIVE.exec(range.from)?.[1] ?? null;
}

/** Returns "Past 1 hour" for ranges that end now; null for ranges whose two ends have to be shown. */
export function describeRelative(range: TimeRange): string | null {
  const duration = relativeDuration(range);
  return duration === null ? null : `Past ${describeDuration(duration)}`;
}

/** Earliest and latest time that the API accepts: 2000-01-01T00:00:00Z and the largest 64-bit integer. */
const EARLIEST: Nanoseconds = 946_684_800n * NS_PER_SECOND;
const LATEST: Nanoseconds = 2n ** 63n - 1n;

/**
 * Doubles the range, or adds 1 s on each side if that is more, around the same middle. If only the new end would be
 * after `now`, the range ends at `now`, and its start moves back by as much more. The range stays within the times that
 * the API accepts.
 */
export function zoomOut(window: TimeWindow, now: Nanoseconds): TimeWindow {
  const length = window.end - window.start;
  const margin = length / 2n > NS_PER_SECOND ? length / 2n : NS_PER_SECOND;
  const end = window.end + margin;
  if (end <= now || window.end > now) return accepted({ start: window.start - margin, end });
  return accepted({ start: window.start - margin - (end - now), end: now });
}

function accepted({ start, end }: TimeWindow): TimeWindow {
  return { start: start < EARLIEST ? EARLIEST : start, end: end > LATEST ? LATEST : end };
}

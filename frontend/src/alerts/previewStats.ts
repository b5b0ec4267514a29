import { statsPieces } from "../language/statsPieces";
import { joinStats, splitStats } from "../language/statsStage";
import { type Nanoseconds, NS_PER_SECOND } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

/** Smallest number of buckets, and shortest time in seconds, of a preview with at most MOST buckets. */
const BUCKETS = 48;
const SHORTEST = 3 * 3_600;

/** Largest number of buckets that a preview reads. */
const MOST = 180;

/** Returns the query of a rule over time, with one bucket for each range; null for a query without `| stats`. */
export function previewQuery(text: string, rangeSeconds: number): string | null {
  const { query, stats } = splitStats(text);
  if (stats === null || stats === "") return null;
  const { calls, stages, hasGroups } = stagesOf(stats);
  return joinStats(query, `${calls}${hasGroups ? ", " : " by "}time(${rangeSeconds}s)${stages}`);
}

/** Returns the newest whole buckets of a range's length that have ended at `now`. */
export function previewWindow(rangeSeconds: number, now: Nanoseconds): TimeWindow {
  const width = BigInt(rangeSeconds) * NS_PER_SECOND;
  const buckets = BigInt(Math.min(MOST, Math.max(BUCKETS, Math.floor(SHORTEST / rangeSeconds))));
  const end = now - (now % width);
  return { start: end - buckets * width, end };
}

/** Splits a text behind `| stats` before its first `|` outside quotes, regular expressions and parentheses. */
function stagesOf(stats: string): { calls: string; stages: string; hasGroups: boolean } {
  const outside = statsPieces(stats).filter(({ depth }) => depth === 0);
  const pipe = outside.findIndex(({ text }) => text === "|");
  const calls = pipe < 0 ? outside : outside.slice(0, pipe);
  const end = outside[pipe]?.from;
  return {
    calls: stats.slice(0, end).trim(),
    stages: end === undefined ? "" : ` ${stats.slice(end)}`,
    hasGroups: calls.some(({ text }) => HAS_BY.test(text)),
  };
}

/** Matches `by` in a piece that is not quoted. */
const HAS_BY = /^(?!").*(?<![^ \t\r\n\f\v])by(?![^ \t\r\n\f\v])/s;

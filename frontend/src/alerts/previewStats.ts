import { joinStats, splitStats } from "../language/statsStage";
import { type Nanoseconds, NS_PER_SECOND } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

/** Smallest number of buckets, and shortest time in seconds, of a preview with at most MOST buckets. */
const BUCKETS = 48;
const SHORTEST = 3 * 3_600;

/** Largest number of buckets that a preview reads. */
const MOST = 180;

/** Quoted texts and regular expressions are whole pieces, because they may contain parentheses and `|`. */
const PIECES = /"(?:[^"\\]|\\.)*"|(?<=[\s(:-])\/(?:[^/\\]|\\[\s\S])+\/(?![^\s()"])|[()|]|[^"()|/]+|\//g;

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
  let depth = 0;
  let plain = "";
  for (const { 0: piece, index } of stats.matchAll(PIECES)) {
    if (piece === "(") depth += 1;
    else if (piece === ")") depth -= 1;
    else if (depth === 0 && piece === "|") {
      return {
        calls: stats.slice(0, index).trim(),
        stages: ` ${stats.slice(index)}`,
        hasGroups: hasBy(plain),
      };
    } else if (depth === 0) plain += piece;
  }
  return { calls: stats.trim(), stages: "", hasGroups: hasBy(plain) };
}

function hasBy(plain: string): boolean {
  return /(?:^|\s)by\s/.test(plain);
}

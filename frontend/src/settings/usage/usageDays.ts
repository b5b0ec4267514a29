import type { Usage } from "../../api/types";

/** A figure that is summed by day: bytes of OTLP, log records, or requests. */
export type Measure = "bytes" | "records" | "requests";

type Interval = Pick<Usage["usage"][number], "start" | "outcome" | Measure>;

/** The usage of one UTC day. */
export interface UsageDay {
  /** The day as "2026-11-21". */
  readonly day: string;
  readonly accepted: number;
  readonly refused: number;
}

const DAY_MS = 86_400_000;

/** Returns the start of the first of the last `days` UTC days, including today, in milliseconds since 1970. */
export function firstDay(nowMs: number, days: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
}

/**
 * Returns one entry for each of `days` UTC days, the first of which begins at `startMs`. Days without usage have an
 * entry, too.
 */
export function usageDays(
  usage: readonly Interval[],
  measure: Measure,
  startMs: number,
  days: number,
): readonly UsageDay[] {
  const sums = new Map<string, { accepted: number; refused: number }>();
  for (const each of usage) {
    const day = each.start.slice(0, 10);
    const sum = sums.get(day) ?? { accepted: 0, refused: 0 };
    sum[each.outcome === "accepted" ? "accepted" : "refused"] += each[measure];
    sums.set(day, sum);
  }
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(startMs + index * DAY_MS).toISOString().slice(0, 10);
    return { day, ...(sums.get(day) ?? { accepted: 0, refused: 0 }) };
  });
}

/**
 * Returns the top of the chart's axis: the smallest number, 1, 2 or 5 times a power of ten, that is not below any day.
 */
export function axisEnd(days: readonly UsageDay[]): number {
  const largest = Math.max(1, ...days.map(({ accepted, refused }) => accepted + refused));
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= largest) ?? 10 * power;
}

/** Returns the totals by outcome: accepted first, then the refusals, largest first. */
export function inOrder(totals: Usage["totals"]): Usage["totals"] {
  const size = ({ records, requests }: Usage["totals"][number]) => Math.max(records, requests);
  return totals.toSorted(
    (one, other) =>
      Number(other.outcome === "accepted") - Number(one.outcome === "accepted") || size(other) - size(one),
  );
}

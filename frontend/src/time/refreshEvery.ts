import type { TimeRange } from "./timeExpression";

/** Intervals between two automatic refreshes, as written in the URL. */
export const REFRESH_CHOICES = ["10s", "30s", "1m"] as const;

export type RefreshChoice = (typeof REFRESH_CHOICES)[number];

const MILLISECONDS: Record<RefreshChoice, number> = { "10s": 10_000, "30s": 30_000, "1m": 60_000 };

export function isRefreshChoice(value: unknown): value is RefreshChoice {
  return REFRESH_CHOICES.some((choice) => choice === value);
}

/** Returns the milliseconds between two refreshes of a range; null for a range that does not end now. */
export function refreshMilliseconds(choice: RefreshChoice | null, range: TimeRange): number | null {
  return choice === null || range.to !== "now" ? null : MILLISECONDS[choice];
}

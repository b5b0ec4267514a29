import type { TimeRange } from "./timeExpression";

/** Intervals between two automatic refreshes, as written in the URL. */
export const REFRESH_CHOICES = ["10s", "30s", "1m", "5m"] as const;

export type RefreshChoice = (typeof REFRESH_CHOICES)[number];

const SECONDS: Record<RefreshChoice, number> = { "10s": 10, "30s": 30, "1m": 60, "5m": 300 };

export function isRefreshChoice(value: unknown): value is RefreshChoice {
  return REFRESH_CHOICES.some((choice) => choice === value);
}

/** Returns the milliseconds between two refreshes of a range; null for a range that does not end now. */
export function refreshMilliseconds(choice: RefreshChoice | null, range: TimeRange): number | null {
  return choice === null || range.to !== "now" ? null : SECONDS[choice] * 1_000;
}

export function refreshSeconds(choice: RefreshChoice | null): number | null {
  return choice === null ? null : SECONDS[choice];
}

/** Returns the shortest choice of at least so many seconds, or the longest choice for more; null for null. */
export function choiceOfSeconds(seconds: number | null): RefreshChoice | null {
  if (seconds === null) return null;
  return REFRESH_CHOICES.find((choice) => SECONDS[choice] >= seconds) ?? "5m";
}

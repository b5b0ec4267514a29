import type { Dashboard } from "../api/types";
import { choiceOfSeconds, isRefreshChoice, type RefreshChoice } from "../time/refreshEvery";
import { absoluteRange, resolveTime, type TimeRange, type TimeWindow } from "../time/timeExpression";
import { DEFAULT_STATE, encodeSearchState } from "../url/searchState";

/** The range and the refresh interval of all panels. */
export interface DashboardTime extends TimeRange {
  readonly refresh: RefreshChoice | null;
}

/**
 * Search part of a dashboard's address. It has all members of `DashboardTime`, or none if the stored range and interval
 * apply.
 */
export type DashboardSearch = Partial<DashboardTime>;

/** Reads an address from untrusted values. If they are not a valid range, the stored range of the dashboard applies. */
export function decodeDashboardSearch(raw: Record<string, unknown>): DashboardSearch {
  const { from, to, refresh } = raw;
  if (typeof from !== "string" || typeof to !== "string") return {};
  if (resolveTime(from, 0n) === null || resolveTime(to, 0n) === null) return {};
  return { from, to, refresh: isRefreshChoice(refresh) ? refresh : null };
}

/**
 * Returns the range and the interval to show: the values of the address, or the stored values if the address has none.
 */
export function shownTime(search: DashboardSearch, stored: Dashboard): DashboardTime {
  const { from, to, refresh = null } = search;
  return from === undefined || to === undefined ? storedTime(stored) : { from, to, refresh };
}

export function storedTime({ start, end, refresh_seconds: seconds }: Dashboard): DashboardTime {
  return { from: start, to: end, refresh: choiceOfSeconds(seconds) };
}

/** Returns a link whose range has absolute times, so that it shows the same numbers later. */
export function dashboardLink(page: string, id: string, window: TimeWindow | null): string {
  const search = window === null ? "" : encodeSearchState({ ...DEFAULT_STATE, ...absoluteRange(window) });
  return new URL(`/dashboards/${id}${search}`, page).toString();
}

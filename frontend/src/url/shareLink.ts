import type { TimeWindow } from "../time/timeExpression";
import { absoluteRange } from "../time/timeExpression";
import type { SearchState } from "./searchState";
import { encodeSearchState } from "./searchState";

/** Returns a link that will show others the same records later: its range has absolute times. */
export function shareLink(page: string, state: SearchState, window: TimeWindow | null): string {
  const range = window === null ? {} : absoluteRange(window);
  return new URL(
    encodeSearchState({ ...state, ...range, tail: false, refresh: null, view: null }),
    page,
  ).toString();
}

import type { TimeWindow } from "../time/timeExpression";
import { absoluteRange } from "../time/timeExpression";
import type { SearchState } from "./searchState";
import { encodeSearchState } from "./searchState";

/** A link that shows others the same records tomorrow: the range is written as absolute times. */
export function shareLink(page: string, state: SearchState, window: TimeWindow | null): string {
  const range = window === null ? {} : absoluteRange(window);
  return new URL(encodeSearchState({ ...state, ...range, tail: false, refresh: null }), page).toString();
}

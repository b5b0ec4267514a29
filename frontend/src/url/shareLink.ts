import type { Log } from "../api/types";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { absoluteRange } from "../time/timeExpression";
import type { SearchState } from "./searchState";
import { encodeSearchState } from "./searchState";

/**
 * Returns a link that will show others the same records later: its range has absolute times. The link from a live tail
 * opens a search, whose range also includes the open record, because the tail shows records that the range leaves out.
 */
export function shareLink(
  page: string,
  state: SearchState,
  window: TimeWindow | null,
  open?: Pick<Log, "timestamp">,
): string {
  const shown = state.tail && open !== undefined ? including(window, open) : window;
  const range = shown === null ? {} : absoluteRange(shown);
  return new URL(
    encodeSearchState({ ...state, ...range, tail: false, refresh: null, view: null }),
    page,
  ).toString();
}

function including(window: TimeWindow | null, { timestamp }: Pick<Log, "timestamp">): TimeWindow | null {
  const time = parseRfc3339(timestamp);
  if (window === null || time === null) return window;
  return {
    start: time < window.start ? time : window.start,
    end: time < window.end ? window.end : time + 1n,
  };
}

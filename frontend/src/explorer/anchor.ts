import { useCallback, useState } from "react";
import type { Log, Order } from "../api/types";
import type { PageParam, SearchPages } from "../results/searchPages";
import type { Nanoseconds } from "../time/nanoseconds";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import type { SearchRun } from "./searchRun";

/**
 * The part of a window at the beginning of a list with an anchor: the anchor's own nanosecond and the times after it in
 * the list's order.
 */
export function sideBehind(window: TimeWindow, order: Order, anchor: Nanoseconds | null): TimeWindow {
  if (anchor === null) return window;
  return order === "desc" ? { start: window.start, end: anchor + 1n } : { start: anchor, end: window.end };
}

/** The rest of the window, which precedes the anchor in the list. */
export function sideBefore(window: TimeWindow, order: Order, anchor: Nanoseconds | null): TimeWindow {
  if (anchor === null) return { start: window.start, end: window.start };
  return order === "desc" ? { start: anchor + 1n, end: window.end } : { start: window.start, end: anchor };
}

/** Returns the position of the first page before the anchor; null if the window has no time there. */
export function firstBefore(window: TimeWindow, order: Order, anchor: Nanoseconds | null): PageParam | null {
  const { start, end } = sideBefore(window, order, anchor);
  return start < end ? { side: "before", cursor: null } : null;
}

/** Time at which the list of a run begins. */
interface Anchor extends Omit<SearchRun, "window"> {
  readonly time: Nanoseconds;
}

/**
 * Returns the time at which the list begins instead of at the range's end (null for none), and a function that sets it
 * to a record's time. The list begins at that time in one run of a search, and in the next runs of the same search while
 * the record is open, so that an automatic refresh does not show the newest rows in between. Only the record in the
 * page's first address gets such a start.
 */
export function useAnchor(recordId: string | null, { run, search, window }: SearchRun) {
  const [linked] = useState(recordId);
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const set = useCallback(
    (record: Log) => {
      const time = parseRfc3339(record.timestamp);
      if (time !== null) setAnchor({ run, search, time });
    },
    [run, search],
  );
  const isOpen = linked === recordId;
  const isRefreshed = isOpen && anchor !== null && anchor.run !== run && anchor.search === search;
  if (isRefreshed && isWithin(anchor.time, window)) setAnchor({ ...anchor, run });
  // A record that is closed and opened again after a refresh must not move the list, which shows it where it is.
  if (!isOpen && anchor !== null && anchor.run !== run) setAnchor(null);
  const time = anchor?.run === run ? anchor.time : null;
  return [{ time, linkedId: isOpen && time === null ? linked : null }, set] as const;
}

function isWithin(time: Nanoseconds, window: TimeWindow | null): boolean {
  return window !== null && time >= window.start && time < window.end;
}

/** Returns true if the linked record is in the window, but not on the first page. */
export function isBeyond(
  record: Log,
  linkedId: string | null,
  { pages, logs }: SearchPages,
  window: TimeWindow | null,
): boolean {
  if (record.id !== linkedId) return false;
  if (!pages.isSuccess || pages.isPlaceholderData || !pages.hasNextPage) return false;
  const time = parseRfc3339(record.timestamp);
  if (time === null || !isWithin(time, window)) return false;
  return !logs.some(({ id }) => id === linkedId);
}

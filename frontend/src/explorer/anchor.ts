import { useCallback, useState } from "react";
import type { Log } from "../api/types";
import type { Nanoseconds } from "../time/nanoseconds";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import type { Order } from "../url/searchState";
import type { useSearchPages } from "./searchQueries";

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

interface Anchor {
  readonly run: string;
  readonly time: Nanoseconds;
}

/**
 * Returns the time at which the list begins instead of at the range's end (null for none), and a function that sets it
 * to a record's time. It applies to one run of a search. Only the record that the page was opened with is searched for
 * in this way.
 */
export function useAnchor(recordId: string | null, run: string) {
  const [linked] = useState(recordId);
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const set = useCallback(
    (record: Log) => {
      const time = parseRfc3339(record.timestamp);
      if (time !== null) setAnchor({ run, time });
    },
    [run],
  );
  const time = anchor?.run === run ? anchor.time : null;
  return [{ time, linkedId: linked === recordId && time === null ? linked : null }, set] as const;
}

/** Returns true if the linked record is in the window, but not on the first page. */
export function isBeyond(
  record: Log,
  linkedId: string | null,
  { pages, logs }: ReturnType<typeof useSearchPages>,
  window: TimeWindow | null,
): boolean {
  if (window === null || record.id !== linkedId) return false;
  if (!pages.isSuccess || pages.isPlaceholderData || !pages.hasNextPage) return false;
  const time = parseRfc3339(record.timestamp);
  if (time === null || time < window.start || time >= window.end) return false;
  return !logs.some(({ id }) => id === linkedId);
}

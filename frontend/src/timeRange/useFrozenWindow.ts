import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { fromMilliseconds } from "../time/nanoseconds";
import { clockState, nowMs, onClockJump } from "../time/serverClock";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { resolveRange } from "../time/timeExpression";

interface Frozen {
  readonly key: string;
  readonly window: TimeWindow | null;
}

/** Times of the latest refresh of any page, in milliseconds since 1970, by the cache of answers. */
const refreshed = new WeakMap<QueryClient, number>();

/**
 * Returns the range with fixed times, null for an empty range, and a function that refreshes it. The times are fixed
 * once per run, so that all pages, the histogram and the plan describe the same records. A run is one query, one range
 * and one press of refresh. After a refresh, a range that was given by fixed times is read again too. Answers from
 * before the refresh are not shown again, also after the user has left the page and come back. Relative times are fixed
 * again when an answer of the API shows that the browser's clock is wrong.
 */
export function useFrozenWindow(query: string, range: TimeRange): [TimeWindow | null, () => void] {
  const client = useQueryClient();
  const [read, setRead] = useState(() => refreshed.get(client));
  const clock = useSyncExternalStore(onClockJump, clockState);
  const key = JSON.stringify([query, range.from, range.to, read, clock]);
  const [frozen, setFrozen] = useState<Frozen>(() => freeze(key, range, read));
  const shown = frozen.key === key ? frozen : freeze(key, range, read);
  if (shown !== frozen) setFrozen(shown);
  const refresh = () => {
    // Two refreshes in one millisecond are two reads.
    const next = Math.max(Date.now(), (refreshed.get(client) ?? 0) + 1);
    refreshed.set(client, next);
    setRead(next);
  };
  return [shown.window, refresh];
}

function freeze(key: string, range: TimeRange, read: number | undefined): Frozen {
  const window = resolveRange(range, fromMilliseconds(nowMs()));
  return { key, window: window === null || read === undefined ? window : { ...window, read } };
}

import { useState } from "react";
import { fromMilliseconds } from "../time/nanoseconds";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { resolveRange } from "../time/timeExpression";

interface Frozen {
  readonly run: string;
  readonly window: TimeWindow | null;
}

/**
 * Returns the range with fixed times; null for an empty range. The times are fixed once per run, so that all pages, the
 * histogram and the plan describe the same records. A run is one query, one range and one press of refresh. After a
 * refresh, a range that was given by fixed times is read again too.
 */
export function useFrozenWindow(query: string, range: TimeRange, refreshes: number): TimeWindow | null {
  const run = JSON.stringify([query, range.from, range.to, refreshes]);
  const [frozen, setFrozen] = useState<Frozen>(() => freeze(run, range, refreshes));
  if (frozen.run === run) return frozen.window;
  const next = freeze(run, range, refreshes);
  setFrozen(next);
  return next.window;
}

function freeze(run: string, range: TimeRange, refreshes: number): Frozen {
  const now = Date.now();
  const window = resolveRange(range, fromMilliseconds(now));
  return { run, window: window === null || refreshes === 0 ? window : { ...window, read: now } };
}

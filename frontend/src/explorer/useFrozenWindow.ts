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
 * histogram and the plan describe the same records. A run is one query, one range and one press of refresh.
 */
export function useFrozenWindow(query: string, range: TimeRange, refreshes: number): TimeWindow | null {
  const run = JSON.stringify([query, range.from, range.to, refreshes]);
  const [frozen, setFrozen] = useState<Frozen>(() => freeze(run, range));
  if (frozen.run === run) return frozen.window;
  const next = freeze(run, range);
  setFrozen(next);
  return next.window;
}

function freeze(run: string, range: TimeRange): Frozen {
  return { run, window: resolveRange(range, fromMilliseconds(Date.now())) };
}

import type { Log } from "../api/types";

/** Rows that are kept; older ones are in the search. */
export const MOST_ROWS = 1_000;

/** What a tail shows, newest first, and what waits while it is paused. */
export interface TailView {
  readonly rows: readonly Log[];
  readonly waiting: readonly Log[];
  /** All that arrived during the pause, also what `waiting` had no room for. */
  readonly waitingCount: number;
}

export const EMPTY_VIEW: TailView = { rows: [], waiting: [], waitingCount: 0 };

/** The view after these logs, oldest first, have arrived; what waits is shown unless it is paused. */
export function arrived(view: TailView, logs: readonly Log[], isPaused: boolean): TailView {
  if (logs.length === 0 && (isPaused || view.waitingCount === 0)) return view;
  const waiting = [...logs].reverse().concat(view.waiting).slice(0, MOST_ROWS);
  if (isPaused) return { rows: view.rows, waiting, waitingCount: view.waitingCount + logs.length };
  return { rows: waiting.concat(view.rows).slice(0, MOST_ROWS), waiting: [], waitingCount: 0 };
}

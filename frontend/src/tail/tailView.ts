import type { Log } from "../api/types";

/** Largest number of rows that are kept. A search finds older ones. */
export const MAX_ROWS = 1_000;

/** Logs that a tail shows, newest first, and logs that wait while it is paused. */
export interface TailView {
  readonly rows: readonly Log[];
  readonly waiting: readonly Log[];
  /** Number of logs that arrived during the pause, including those that `waiting` had no room for. */
  readonly waitingCount: number;
}

export const EMPTY_VIEW: TailView = { rows: [], waiting: [], waitingCount: 0 };

/** Returns the view after these logs, oldest first, have arrived. Waiting logs are shown unless the tail is paused. */
export function arrived(view: TailView, logs: readonly Log[], isPaused: boolean): TailView {
  if (logs.length === 0 && (isPaused || view.waitingCount === 0)) return view;
  const waiting = [...logs].reverse().concat(view.waiting).slice(0, MAX_ROWS);
  if (isPaused) return { rows: view.rows, waiting, waitingCount: view.waitingCount + logs.length };
  return { rows: waiting.concat(view.rows).slice(0, MAX_ROWS), waiting: [], waitingCount: 0 };
}

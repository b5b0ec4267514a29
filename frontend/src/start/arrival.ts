import type { Log } from "../api/types";
import type { StoredLogs } from "./storedLogs";

/** A wait for a log: when it began, and the logs at that time. */
export interface Watch {
  readonly startedAtMs: number;
  /** Undefined until the first answer. */
  readonly baseline: StoredLogs | undefined;
}

/** State of a wait for a log. */
export type Arrival =
  | { readonly kind: "starting" }
  | { readonly kind: "waiting"; readonly newest: Log | null; readonly isLong: boolean }
  | { readonly kind: "ended"; readonly newest: Log | null }
  | { readonly kind: "received"; readonly log: Log; readonly isFirst: boolean }
  /** A log with an earlier time than the newest one. Days are those of the retention, within which it is. */
  | { readonly kind: "received"; readonly log: null; readonly days: number };

/** Milliseconds after which a wait ends unless the user starts it again. */
export const LONGEST_WAIT_MS = 10 * 60_000;

/** Milliseconds after which a wait without a log suggests what to check. */
const UNUSUAL_MS = 30_000;

/** Milliseconds of fast polling at the start, because a user who has just run a command watches the page. */
const EAGER_MS = 60_000;

/** Returns the state of a wait, given the logs that the API has returned last. */
export function arrivalOf(watch: Watch, stored: StoredLogs | undefined, nowMs: number): Arrival {
  const { baseline, startedAtMs } = watch;
  const newest = stored?.newest ?? null;
  if (baseline !== undefined && newest !== null && newest.id !== baseline.newest?.id)
    return { kind: "received", log: newest, isFirst: baseline.newest === null };
  if (stored !== undefined && (stored.count ?? 0) > (baseline?.count ?? Number.POSITIVE_INFINITY))
    return { kind: "received", log: null, days: stored.days };
  if (nowMs - startedAtMs >= LONGEST_WAIT_MS) return { kind: "ended", newest };
  if (baseline === undefined || stored === undefined) return { kind: "starting" };
  return { kind: "waiting", newest, isLong: nowMs - startedAtMs >= UNUSUAL_MS };
}

/** Returns the milliseconds until the next request to the API, or false if there is none. */
export function pollDelayMs(arrival: Arrival, waitedMs: number): number | false {
  if (arrival.kind === "received" || arrival.kind === "ended") return false;
  return waitedMs < EAGER_MS ? 1_000 : 5_000;
}

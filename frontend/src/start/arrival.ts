import type { Log } from "../api/types";

/** A wait for a log: when it began, and the id of the newest log at that time. */
export interface Watch {
  readonly startedAtMs: number;
  /** Null for a tenant without logs, undefined until the first answer. */
  readonly baselineId: string | null | undefined;
}

/** State of a wait for a log. */
export type Arrival =
  | { readonly kind: "starting" }
  | { readonly kind: "waiting"; readonly newest: Log | null; readonly isLong: boolean }
  | { readonly kind: "ended"; readonly newest: Log | null }
  | { readonly kind: "received"; readonly log: Log; readonly isFirst: boolean };

/** Milliseconds after which a wait ends unless the user starts it again. */
export const LONGEST_WAIT_MS = 10 * 60_000;

/** Milliseconds after which a wait without a log suggests what to check. */
const UNUSUAL_MS = 30_000;

/** Milliseconds of fast polling at the start, because a user who has just run a command watches the page. */
const EAGER_MS = 60_000;

/** Returns the state of a wait, given the newest log that the API has returned so far. */
export function arrivalOf(watch: Watch, newest: Log | null | undefined, nowMs: number): Arrival {
  const { baselineId, startedAtMs } = watch;
  if (baselineId !== undefined && newest && newest.id !== baselineId)
    return { kind: "received", log: newest, isFirst: baselineId === null };
  if (nowMs - startedAtMs >= LONGEST_WAIT_MS) return { kind: "ended", newest: newest ?? null };
  if (baselineId === undefined || newest === undefined) return { kind: "starting" };
  return { kind: "waiting", newest, isLong: nowMs - startedAtMs >= UNUSUAL_MS };
}

/** Returns the milliseconds until the next request to the API, or false if there is none. */
export function pollDelayMs(arrival: Arrival, waitedMs: number): number | false {
  if (arrival.kind === "received" || arrival.kind === "ended") return false;
  return waitedMs < EAGER_MS ? 1_000 : 5_000;
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApiProblem, asProblem } from "../api/problem";
import { useSession } from "../session/SessionContext";
import { type Arrival, arrivalOf, pollDelayMs, type Watch } from "./arrival";
import { rememberLogs } from "./hadLogs";
import { readStoredLogs } from "./storedLogs";

export interface WatchedArrival {
  readonly arrival: Arrival;
  /** Reason why the last request failed; null after a success. */
  readonly problem: ApiProblem | null;
  readonly watchAgain: () => void;
}

const newWatch = (): Watch => ({ startedAtMs: Date.now(), baseline: undefined });

/**
 * Waits for a log that did not exist when the page was opened. Polls the API while the page is visible, until a log
 * arrives or the wait ends.
 */
export function useArrival(): WatchedArrival {
  const { api, tenant } = useSession();
  const cache = useQueryClient();
  const [watch, setWatch] = useState(newWatch);
  // Both polling and what is shown follow from this time. With two times, the wait could end for the first alone, and
  // the page would show for ever that it waits.
  const nowMs = Date.now();
  const stateOf = (stored: Parameters<typeof arrivalOf>[1]) => arrivalOf(watch, stored, nowMs);
  const poll = useQuery({
    queryKey: ["stored-logs", watch.startedAtMs],
    queryFn: ({ signal }) => readStoredLogs(cache, api, tenant, watch, signal),
    // The library does not poll while the page is hidden, and polls immediately when it is shown again.
    refetchInterval: ({ state }) => pollDelayMs(stateOf(state.data), nowMs - watch.startedAtMs),
    refetchOnWindowFocus: ({ state }) => pollDelayMs(stateOf(state.data), 0) !== false,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    // Every poll updates the state, even with an unchanged answer, because the time decides if the wait has ended.
    notifyOnChangeProps: ["data", "error", "dataUpdatedAt", "errorUpdatedAt"],
  });
  const stored = poll.data;
  useEffect(() => {
    if (stored === undefined) return;
    if (watch.baseline === undefined) setWatch({ ...watch, baseline: stored });
    if (stored.newest !== null) rememberLogs(tenant);
  }, [stored, watch, tenant]);
  return {
    arrival: stateOf(stored),
    problem: poll.error === null ? null : asProblem(poll.error),
    watchAgain: () => setWatch(newWatch()),
  };
}

import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { asProblem } from "../api/problem";
import type { Log, Order } from "../api/types";
import { STATS } from "../chart/useStats";
import type { Measurement } from "../explain/AnalysisSection";
import { PATTERNS } from "../patterns/usePatterns";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";

/** First parts of the cache keys of all queries that are cancelled together with a search. */
export const CANCELLED: ReadonlySet<unknown> = new Set(["search", "histogram", "fields"]);

/** First parts of the cache keys of all queries that each run of a search repeats. */
const OF_RUNS: ReadonlySet<unknown> = new Set([...CANCELLED, "values", PATTERNS, STATS]);

export const isOfRun = ({ queryKey: [kind] }: { queryKey: QueryKey }) => OF_RUNS.has(kind);

/**
 * Returns a function that drops the answers of runs that are no longer shown. A search that is refreshed for hours
 * would keep minutes of them in memory, and none is shown again, because its range has moved on.
 */
export function useDropEarlierRuns(): () => void {
  const client = useQueryClient();
  return () => client.removeQueries({ type: "inactive", predicate: isOfRun });
}

export function useHistogram(query: string, window: TimeWindow | null, buckets: number, by: string | null) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["histogram", tenant, query, ...windowKey(window), buckets, by],
    // The window travels with its counts: the chart never draws old bars on a new axis.
    queryFn: async ({ signal }) => {
      const shown = requiredWindow(window);
      const answer = await api.histogram({ query, ...shown }, buckets, by, signal);
      return { by, window: shown, answer };
    },
    enabled: window !== null,
    placeholderData: keepPreviousData,
  });
}

export function useExplanation(query: string, window: TimeWindow | null, order: Order, isOpen: boolean) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["explain", tenant, query, ...windowKey(window), order],
    queryFn: ({ signal }) => api.explain({ query, ...requiredWindow(window) }, order, false, signal),
    enabled: isOpen && window !== null,
  });
}

/** Reads the page and measures it, but only when `run` is called. */
export function useMeasurement(query: string, window: TimeWindow | null, order: Order): Measurement {
  const { api, tenant } = useSession();
  const found = useQuery({
    queryKey: ["analysis", tenant, query, ...windowKey(window), order],
    queryFn: ({ signal }) => api.explain({ query, ...requiredWindow(window) }, order, true, signal),
    enabled: false,
  });
  return {
    analysis: found.data?.analysis ?? null,
    problem: found.error === null ? null : asProblem(found.error),
    isRunning: found.isFetching,
    run: () => void found.refetch(),
  };
}

/** Returns the record with this id: from the loaded rows if they contain it, otherwise from the API. */
export function useRecord(id: string | null, logs: readonly Log[]) {
  const { api, tenant } = useSession();
  const loaded = useMemo(() => (id === null ? undefined : logs.find((log) => log.id === id)), [logs, id]);
  const fetched = useQuery({
    queryKey: ["log", tenant, id],
    queryFn: ({ signal }) => api.log(id ?? "", signal),
    enabled: id !== null && loaded === undefined,
    // The record stays open when new logs move it off the loaded rows.
    initialData: loaded,
  });
  const error = loaded === undefined ? fetched.error : null;
  return { record: loaded ?? fetched.data, error, retry: fetched.refetch };
}

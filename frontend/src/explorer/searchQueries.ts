import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Log } from "../api/types";
import { useSession } from "../session/SessionContext";
import type { TimeWindow } from "../time/timeExpression";
import type { Order } from "../url/searchState";

// Windows are bigints, which JSON-hashed query keys cannot hold.
const windowKey = (window: TimeWindow | null) => [String(window?.start), String(window?.end)];

/** Pages of matching records; the rows of the previous search stay until the first page of the next is there. */
export function useSearchPages(query: string, window: TimeWindow | null, order: Order) {
  const { api, tenant } = useSession();
  const pages = useInfiniteQuery({
    queryKey: ["search", tenant, query, ...windowKey(window), order],
    queryFn: ({ pageParam, signal }) => api.search({ query, ...required(window) }, order, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: window !== null,
    placeholderData: keepPreviousData,
  });
  const logs = useMemo<Log[]>(() => pages.data?.pages.flatMap((page) => page.logs) ?? [], [pages.data]);
  return { pages, logs };
}

export function useHistogram(query: string, window: TimeWindow | null, buckets: number) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["histogram", tenant, query, ...windowKey(window), buckets],
    // The window travels with its counts: the chart never draws old bars on a new axis.
    queryFn: async ({ signal }) => {
      const shown = required(window);
      return { window: shown, answer: await api.histogram({ query, ...shown }, buckets, signal) };
    },
    enabled: window !== null,
    placeholderData: keepPreviousData,
  });
}

export function useExplanation(query: string, window: TimeWindow | null, order: Order, isOpen: boolean) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["explain", tenant, query, ...windowKey(window), order],
    queryFn: ({ signal }) => api.explain({ query, ...required(window) }, order, signal),
    enabled: isOpen && window !== null,
  });
}

/** The record with this id: from the loaded rows where it is among them, else from the API. */
export function useRecord(id: string | null, logs: readonly Log[]) {
  const { api, tenant } = useSession();
  const loaded = useMemo(() => logs.find((log) => log.id === id), [logs, id]);
  const fetched = useQuery({
    queryKey: ["log", tenant, id],
    queryFn: ({ signal }) => api.log(id ?? "", signal),
    enabled: id !== null && loaded === undefined,
  });
  return { record: loaded ?? fetched.data, error: fetched.error, retry: fetched.refetch };
}

function required(window: TimeWindow | null): TimeWindow {
  if (window === null) throw new Error("a search without a time window was started");
  return window;
}

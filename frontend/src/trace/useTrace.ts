import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Log } from "../api/types";
import { useSession } from "../session/SessionContext";
import { extentOf } from "./timeline";
import { traceQuery } from "./traceSearch";

/**
 * Reads the logs of a trace in pages, oldest first, from the tenant's whole retention. Extent and number of logs are
 * known before the last page is read.
 */
export function useTrace(traceId: string) {
  const { api, tenant } = useSession();
  const query = traceQuery(traceId);
  const pages = useInfiniteQuery({
    queryKey: ["trace", tenant, traceId],
    queryFn: ({ pageParam, signal }) => api.everywhere(query, "asc", pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    // New logs arrive, so a trace that is opened again is read again.
    staleTime: 0,
  });
  const logs = useMemo<Log[]>(() => pages.data?.pages.flatMap((page) => page.logs) ?? [], [pages.data]);
  const isWhole = pages.data !== undefined && !pages.hasNextPage;
  const newest = useQuery({
    queryKey: ["trace-end", tenant, traceId],
    queryFn: async ({ signal }) => {
      const [last] = (await api.everywhere(query, "desc", null, signal, 1)).logs;
      const extent = extentOf(logs[0], last);
      if (last === undefined || extent === null) return { last, count: 0 };
      const window = { start: extent.first, end: extent.last + 1n };
      const { buckets } = await api.histogram({ query, ...window }, 1, null, signal);
      return { last, count: buckets.reduce((sum, { total }) => sum + total, 0) };
    },
    enabled: pages.hasNextPage && logs.length > 0,
    staleTime: 0,
  });
  const last = isWhole ? logs.at(-1) : newest.data?.last;
  const extent = useMemo(() => extentOf(logs[0], last), [logs, last]);
  return {
    pages,
    logs,
    extent,
    count: isWhole ? logs.length : (newest.data?.count ?? null),
    error: pages.error ?? newest.error,
    retry: () => void (pages.isError ? pages.refetch() : newest.refetch()),
  };
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Log } from "../api/types";
import { useSession } from "../session/SessionContext";
import { extentOf } from "./timeline";
import { traceQuery } from "./traceSearch";

/**
 * Reads the logs of a trace in pages, oldest first, from the tenant's whole retention. While pages are missing, the last
 * log and the number of logs are read by requests of their own, which the loaded logs do not wait for.
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
    queryFn: async ({ signal }) => (await api.everywhere(query, "desc", null, signal, 1)).logs[0] ?? null,
    enabled: pages.hasNextPage && logs.length > 0,
    staleTime: 0,
  });
  const whole = useMemo(
    () => extentOf(logs[0], isWhole ? logs.at(-1) : (newest.data ?? undefined)),
    [logs, isWhole, newest.data],
  );
  const counted = useQuery({
    queryKey: ["trace-count", tenant, traceId, String(whole?.first), String(whole?.last)],
    queryFn: async ({ signal }) => {
      if (whole === null) return 0;
      const window = { start: whole.first, end: whole.last + 1n };
      const { buckets } = await api.histogram({ query, ...window }, 1, null, signal);
      return buckets.reduce((sum, { total }) => sum + total, 0);
    },
    enabled: pages.hasNextPage && whole !== null,
    staleTime: 0,
  });
  const loaded = useMemo(() => extentOf(logs[0], logs.at(-1)), [logs]);
  return {
    pages,
    logs,
    /** Times of the first and the last log; null until both are known. */
    whole,
    /** Times that the rows are drawn along: those of the loaded logs until the last log is known. */
    extent: whole ?? loaded,
    /** Number of all logs; null until it is known. */
    count: isWhole ? logs.length : (counted.data ?? null),
    /** Why the first page, the last log or the number of logs could not be read; null if all are read. */
    error:
      (pages.isFetchNextPageError ? null : pages.error) ?? (isWhole ? null : (newest.error ?? counted.error)),
  };
}

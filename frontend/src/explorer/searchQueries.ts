import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { asProblem } from "../api/problem";
import type { PagePart } from "../api/searchStream";
import type { Log, SearchPage } from "../api/types";
import { STATS } from "../chart/useStats";
import type { Measurement } from "../explain/AnalysisSection";
import { useSession } from "../session/SessionContext";
import type { Nanoseconds } from "../time/nanoseconds";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";
import type { Order } from "../url/searchState";
import { sideBefore, sideBehind } from "./anchor";
import { mark } from "./marks";

/** Records that have arrived so far of the page after a cursor, in one run of a search. */
interface RunPart extends PagePart {
  readonly run: string;
  readonly cursor: string | null;
}

/** A page of the list. Pages before the anchor are requested in the opposite order and reversed. */
interface ListPage extends SearchPage {
  readonly isBefore?: boolean;
}

/** Cursor of the previous page; null for the first page. Wrapped in an object for pages before the anchor. */
type PageParam = string | null | { readonly before: string | null };

function paramBefore(
  page: ListPage,
  window: TimeWindow,
  order: Order,
  anchor: Nanoseconds | null,
): PageParam | undefined {
  if (page.isBefore) return page.next_cursor === null ? undefined : { before: page.next_cursor };
  const { start, end } = sideBefore(window, order, anchor);
  return anchor === null || start >= end ? undefined : { before: null };
}

/**
 * Reads pages of matching records. The page that is arriving has the records received so far, also after it failed or
 * was cancelled. Rows of the previous search stay, marked as stale, until the first rows of the next one arrive; also
 * if none arrive because the next search failed or was cancelled. With an anchor, the first page begins at the anchor's
 * time instead of the range's end, and earlier pages are read as previous pages.
 */
export function useSearchPages(
  query: string,
  window: TimeWindow | null,
  order: Order,
  anchor: Nanoseconds | null,
  isOn: boolean,
) {
  const { api, tenant } = useSession();
  const [latest, setLatest] = useState<RunPart | null>(null);
  const queryKey = ["search", tenant, query, ...windowKey(window), order, String(anchor)];
  const run = JSON.stringify(queryKey);
  const pages = useInfiniteQuery({
    queryKey,
    // The signal aborts when another search replaces this one, which ends it in the server as well.
    queryFn: async ({ pageParam, signal }): Promise<ListPage> => {
      if (pageParam === null) mark("search");
      if (typeof pageParam === "object" && pageParam !== null) {
        const before = sideBefore(requiredWindow(window), order, anchor);
        const reverse = order === "desc" ? "asc" : "desc";
        const page = await api.search({ query, ...before }, reverse, pageParam.before, signal, () => {});
        return { ...page, logs: [...page.logs].reverse(), isBefore: true };
      }
      const behind = sideBehind(requiredWindow(window), order, anchor);
      return api.search({ query, ...behind }, order, pageParam, signal, (part) => {
        if (!signal.aborted) setLatest({ ...part, run, cursor: pageParam });
      });
    },
    initialPageParam: null as PageParam,
    getNextPageParam: (page): PageParam => page.next_cursor,
    getPreviousPageParam: (page) => paramBefore(page, requiredWindow(window), order, anchor),
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
    // A page that failed marks all pages as stale, also with an infinite time. They would all be read again when the list
    // is shown again after a chart or patterns.
    staleTime: "static",
  });
  const [kept, setKept] = useState(pages.data);
  if (pages.isSuccess && !pages.isPlaceholderData && pages.data !== kept) setKept(pages.data);
  const isEarlier = pages.data === undefined || pages.isPlaceholderData;
  const whole = isEarlier ? kept : pages.data;
  const isComing =
    latest !== null && latest.run === run && (isEarlier || !whole?.pageParams.includes(latest.cursor));
  const part = isComing ? latest : null;
  const isStale = isEarlier && (part === null || part.logs.length === 0);
  const [shownRun, setShownRun] = useState(run);
  if (!isStale && shownRun !== run) setShownRun(run);
  const logs = useMemo<Log[]>(() => {
    const before = isEarlier && !isStale ? [] : (whole?.pages.flatMap((page) => page.logs) ?? []);
    return part === null ? before : [...before, ...part.logs];
  }, [whole, part, isEarlier, isStale]);
  const [cancelledRun, setCancelledRun] = useState<string | null>(null);
  const client = useQueryClient();
  const requestMissing = () =>
    void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "pending" });
  useEffect(() => {
    if (cancelledRun === null || (cancelledRun === run && isOn)) return;
    setCancelledRun(null);
    // When the page shows a run again that it has left, it requests the missing records again by itself. It shows the
    // counts of the run meanwhile, beside patterns or a chart, so that they are requested now. If another run is shown,
    // the page leaves the counts of this run only in the effects that follow this one.
    queueMicrotask(requestMissing);
  });
  const cancel = () => {
    setCancelledRun(run);
    // The histogram and the fields describe the same records, so they are cancelled together with the search.
    const isOfPage = ({ queryKey: [kind] }: { queryKey: QueryKey }) => CANCELLED.has(kind);
    void client.cancelQueries({ predicate: isOfPage, fetchStatus: "fetching" });
  };
  const isCancelled = cancelledRun === run && !pages.isFetching && pages.error === null;
  const resume = () => {
    setCancelledRun(null);
    if (isEarlier) void pages.refetch();
    requestMissing();
  };
  const progress = (pages.isFetching && part?.progress) || null;
  const hasFirstRows = pages.isError || !isEarlier || (part !== null && part.logs.length > 0);
  const isAnchored = anchor !== null;
  return { pages, logs, shownRun, isStale, isAnchored, hasFirstRows, isCancelled, cancel, resume, progress };
}

/** First parts of the cache keys of all queries that are cancelled together with a search. */
const CANCELLED: ReadonlySet<unknown> = new Set(["search", "histogram", "fields"]);

/** First parts of the cache keys of all queries that each run of a search repeats. */
const OF_RUNS: ReadonlySet<unknown> = new Set([...CANCELLED, "values", "patterns", STATS]);

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
  });
  const error = loaded === undefined ? fetched.error : null;
  return { record: loaded ?? fetched.data, error, retry: fetched.refetch };
}

import { keepPreviousData, type QueryKey, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import {
  type ArrivingPart,
  type ListPage,
  type LoadedPages,
  type PageParam,
  paramAfter,
  type SearchPages,
  shownRows,
} from "../results/searchPages";
import { useSession } from "../session/SessionContext";
import type { Nanoseconds } from "../time/nanoseconds";
import { requiredWindow } from "../time/queryWindow";
import type { SearchState } from "../url/searchState";
import { firstBefore, sideBefore, sideBehind } from "./anchor";
import { mark } from "./marks";
import { CANCELLED } from "./searchQueries";
import type { SearchRun } from "./searchRun";

/**
 * Reads pages of matching records. The page that is arriving has the records received so far, also after it failed or
 * was cancelled. Rows of the previous search stay, marked as stale, until the first rows of the next one arrive; also
 * if none arrive because the next search failed or was cancelled. With an anchor, the first page begins at the anchor's
 * time instead of the range's end, and earlier pages are read as previous pages.
 */
export function useSearchPages(
  { run, window }: SearchRun,
  { query, order }: Pick<SearchState, "query" | "order">,
  anchor: Nanoseconds | null,
  isOn: boolean,
): SearchPages {
  const { api, tenant } = useSession();
  const [latest, setLatest] = useState<ArrivingPart | null>(null);
  const listId = JSON.stringify([run, String(anchor)]);
  const pages = useInfiniteQuery<ListPage, Error, LoadedPages, QueryKey, PageParam>({
    queryKey: ["search", tenant, listId],
    // The signal aborts when another search replaces this one, which ends it in the server as well.
    queryFn: async ({ pageParam: { side, cursor }, signal }): Promise<ListPage> => {
      if (side === "before") {
        const before = sideBefore(requiredWindow(window), order, anchor);
        const reverse = order === "desc" ? "asc" : "desc";
        const page = await api.search({ query, ...before }, reverse, cursor, signal, () => {});
        return { ...page, logs: [...page.logs].reverse(), side };
      }
      if (cursor === null) mark("search");
      const behind = sideBehind(requiredWindow(window), order, anchor);
      const page = await api.search({ query, ...behind }, order, cursor, signal, (part) => {
        if (!signal.aborted) setLatest({ ...part, listId, cursor });
      });
      return { ...page, side };
    },
    initialPageParam: { side: "behind", cursor: null },
    getNextPageParam: paramAfter,
    getPreviousPageParam: (page) =>
      page.side === "before" ? paramAfter(page) : firstBefore(requiredWindow(window), order, anchor),
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
    // A page that failed marks all pages as stale, also with an infinite time. They would all be read again when the list
    // is shown again after a chart or patterns.
    staleTime: "static",
  });
  const own = pages.isPlaceholderData ? undefined : pages.data;
  const [earlier, setEarlier] = useState(own);
  if (pages.isSuccess && own !== undefined && own !== earlier) setEarlier(own);
  const { kind, logs, part } = useMemo(
    () => shownRows(listId, own, earlier, latest),
    [listId, own, earlier, latest],
  );
  const isStale = kind === "earlier";
  const [shownListId, setShownListId] = useState(listId);
  if (!isStale && shownListId !== listId) setShownListId(listId);
  const [cancelledId, setCancelledId] = useState<string | null>(null);
  const client = useQueryClient();
  const requestMissing = () =>
    void client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "pending" });
  useEffect(() => {
    if (cancelledId === null || (cancelledId === listId && isOn)) return;
    setCancelledId(null);
    // When the page shows a run again that it has left, it requests the missing records again by itself. It shows the
    // counts of the run meanwhile, beside patterns or a chart, so that they are requested now. If another run is shown,
    // the page leaves the counts of this run only in the effects that follow this one.
    queueMicrotask(requestMissing);
  });
  const cancel = () => {
    setCancelledId(listId);
    // The histogram and the fields describe the same records, so they are cancelled together with the search.
    const isOfPage = ({ queryKey: [kind] }: { queryKey: QueryKey }) => CANCELLED.has(kind);
    void client.cancelQueries({ predicate: isOfPage, fetchStatus: "fetching" });
  };
  const resume = () => {
    setCancelledId(null);
    if (own === undefined) void pages.refetch();
    requestMissing();
  };
  return {
    pages,
    logs,
    shownListId,
    isStale,
    isAnchored: anchor !== null,
    hasFirstRows: pages.isError || !isStale,
    isCancelled: cancelledId === listId && !pages.isFetching && pages.error === null,
    cancel,
    resume,
    progress: (pages.isFetching && part?.progress) || null,
  };
}

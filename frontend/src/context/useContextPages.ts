import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Log } from "../api/types";
import { useSession } from "../session/SessionContext";
import type { ContextChoice } from "../url/contextChoice";
import { around, contextLogs, earlier, later } from "./contextRows";

/** Reads the records around one record, and more records on either side on request. */
export function useContextPages(id: string, choice: ContextChoice) {
  const { api, tenant } = useSession();
  const pages = useInfiniteQuery({
    queryKey: ["context", tenant, id, choice],
    queryFn: async ({ pageParam, signal }) => {
      const { id: middle, before, after } = pageParam;
      const same = choice === "all" ? "" : choice;
      return { request: pageParam, answer: await api.context(middle, { before, after, same }, signal) };
    },
    initialPageParam: around(id),
    getPreviousPageParam: earlier,
    getNextPageParam: later,
    // New records arrive, so a context that is opened again is read again, from its middle. Loaded pages stay, also when
    // all queries of the page are repeated with another key: they would be read again from the earliest one on, from which
    // no parameters lead back to the middle.
    gcTime: 0,
    staleTime: "static",
  });
  const logs = useMemo<Log[]>(() => contextLogs(pages.data?.pages ?? [], id), [pages.data, id]);
  return { pages, logs };
}

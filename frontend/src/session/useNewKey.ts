import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { repeatFailed } from "../ui/useRetry";
import { PAGE_QUERIES } from "./endSession";
import type { SignedIn } from "./session";

/**
 * Repeats the queries of the page when its tenant goes on with another key, for example after the key before was refused.
 * Answers to requests with the key before are dropped, because a late 401 would end the new session.
 */
export function useNewKey(session: SignedIn | null): void {
  const queryClient = useQueryClient();
  const before = useRef(session);
  useEffect(() => {
    const isSamePage = before.current !== null && before.current.tenant === session?.tenant;
    const isNewKey = before.current?.queryKey !== session?.queryKey;
    before.current = session;
    if (!isSamePage || !isNewKey) return;
    void queryClient.cancelQueries(PAGE_QUERIES);
    void queryClient.invalidateQueries(PAGE_QUERIES);
    // Leaves out the list's loaded pages, which stay valid, but not the page that the key before was refused for.
    repeatFailed(queryClient);
  }, [session, queryClient]);
}

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { SESSION_KEY, type SignedIn } from "./session";

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
    const ofPage = {
      predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== SESSION_KEY[0],
    };
    void queryClient.cancelQueries(ofPage);
    void queryClient.invalidateQueries(ofPage);
  }, [session, queryClient]);
}

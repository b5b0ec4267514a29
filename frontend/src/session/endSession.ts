import type { QueryClient, QueryFilters } from "@tanstack/react-query";
import { adminKey } from "./adminKey";
import { keyStorage } from "./keyStorage";
import { tellOtherPages } from "./otherPages";
import { forgetHistory } from "./queryHistory";
import { SESSION_KEY, type SignedOut } from "./session";

/**
 * Forgets the admin key and shows the sign-in form with the reason, or without one after a sign-out. The query key and
 * the queries of this browser stay.
 */
export function endSession(queryClient: QueryClient, reason: string | null): void {
  adminKey.forget();
  const signedOut: SignedOut = { kind: "signed-out", reason };
  queryClient.setQueryData(SESSION_KEY, signedOut);
}

/** Filter that matches all queries except the one for the session. */
export const PAGE_QUERIES: QueryFilters = { predicate: ({ queryKey: [kind] }) => kind !== SESSION_KEY[0] };

/**
 * Forgets all answers of the API, so that the next user does not see them. Called when the page of the last user is gone,
 * because it would request the answers again.
 */
export function forgetAnswers(queryClient: QueryClient): void {
  queryClient.removeQueries(PAGE_QUERIES);
}

/**
 * Signs the user of this key out in this tab and in all other pages of this browser that use the key. Earlier pages of this
 * tab may use it too: the browser keeps them, with their logs, and shows them again when the next user goes back. Another
 * tab may have stored another key since. That key stays stored, and this page does not sign in with it.
 */
export function signOut(queryClient: QueryClient, queryKey: string): void {
  keyStorage.forget(queryKey);
  forgetHistory();
  // Ends a check of the key that is still running, because its answer would sign the user in again.
  void queryClient.cancelQueries({ queryKey: SESSION_KEY });
  endSession(queryClient, null);
  tellOtherPages(queryKey);
}

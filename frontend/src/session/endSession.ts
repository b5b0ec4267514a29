import type { QueryClient } from "@tanstack/react-query";
import { forgetHistory } from "../queryBar/queryHistory";
import { adminKey } from "./adminKey";
import { keyStorage } from "./keyStorage";
import { tellOtherPages } from "./otherPages";
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

/**
 * Forgets all answers of the API, so that the next user does not see them. Called when the sign-in form is shown, because
 * other pages would request the answers again.
 */
export function forgetAnswers(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey: [kind] }) => kind !== SESSION_KEY[0] });
}

/**
 * Signs the user out in this tab and in all other pages of this browser that use the same key. Also earlier pages of this
 * tab may use it: the browser keeps them, with their logs, and shows them again when the next user goes back.
 */
export function signOut(queryClient: QueryClient): void {
  const queryKey = keyStorage.read();
  keyStorage.forget();
  forgetHistory();
  endSession(queryClient, null);
  if (queryKey !== null) tellOtherPages(queryKey);
  // Ends a check of the key that is still running, because its answer would sign the user in again.
  void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
}

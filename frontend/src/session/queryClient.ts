import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { asProblem } from "../api/problem";
import { ADMIN_QUERIES, adminKey } from "./adminKey";
import { endSession } from "./endSession";
import { keyStorage } from "./keyStorage";
import type { Session } from "./session";
import { KEY_REFUSED, rememberedSession, SESSION_KEY } from "./session";

/**
 * Query cache of the page. A 401 to any request ends the session of the refused key. If another tab has stored
 * a newer key since, the page signs in with that key. Only failures that may pass are retried. Requests are sent also
 * while the browser reports that it is offline: the API may be on this machine, and a request that waits for a connection
 * would show no error, and would be sent long after the user gave it up.
 */
export function createQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (!asProblem(error).isUnauthorized) return;
        // A refused admin key does not end the session of the query key.
        if (queryKey[0] === ADMIN_QUERIES) return adminKey.forget();
        const session = queryClient.getQueryData<Session>(SESSION_KEY) ?? rememberedSession();
        // The form to sign in again covers a page that still sends requests.
        if (session?.kind !== "signed-in") return;
        keyStorage.forget(session.queryKey);
        const stored = keyStorage.read();
        if (stored !== null) {
          adminKey.forget();
          void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
          return;
        }
        endSession(queryClient, KEY_REFUSED);
      },
    }),
    mutationCache: new MutationCache({
      // The refused key may be the query key, the admin key or the key of a form. A check of the query key ends only its
      // own session.
      onError: (error) => {
        const isSignedIn = queryClient.getQueryData<Session>(SESSION_KEY)?.kind === "signed-in";
        if (asProblem(error).isUnauthorized && isSignedIn)
          void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      },
    }),
    defaultOptions: {
      mutations: { networkMode: "always" },
      queries: {
        networkMode: "always",
        retry: (failures, error) => failures < 1 && [0, 502, 503, 504].includes(asProblem(error).status),
        retryDelay: 600,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  });
  return queryClient;
}

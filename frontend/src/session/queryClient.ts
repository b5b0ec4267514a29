import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { asProblem } from "../api/problem";
import { ADMIN_QUERIES, adminKey } from "./adminKey";
import { endSession } from "./endSession";
import { keyStorage } from "./keyStorage";
import type { Session } from "./session";
import { checkKey, KEY_REFUSED, rememberedSession, SESSION_KEY } from "./session";

/**
 * Query cache of the page. A 401 to any request ends the session of the refused key. Only failures that may pass are
 * retried. Requests are sent also while the browser reports that it is offline: the API may be on this machine, and a
 * request that waits for a connection would show no error, and would be sent long after the user gave it up.
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
        endSession(queryClient, KEY_REFUSED);
      },
    }),
    mutationCache: new MutationCache({
      // The refused key may be the query key, the admin key or the key of a form, so both keys of the page are checked.
      onError: (error) => {
        if (!asProblem(error).isUnauthorized) return;
        void queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES, "open"] });
        const session = queryClient.getQueryData<Session>(SESSION_KEY);
        if (session?.kind !== "signed-in") return;
        // Not the stored key, because another tab may have stored the key of another tenant.
        queryClient
          .query({ queryKey: ["key-check"], queryFn: () => checkKey(session.queryKey), staleTime: 0 })
          .catch(() => {});
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

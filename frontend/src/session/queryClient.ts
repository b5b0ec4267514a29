import { QueryCache, QueryClient } from "@tanstack/react-query";
import { asProblem } from "../api/problem";
import { ADMIN_QUERIES, adminKey } from "./adminKey";
import { keyStorage } from "./keyStorage";
import type { SignedOut } from "./session";
import { KEY_REFUSED, SESSION_KEY } from "./session";

/** Query cache of the page. A 401 to any request ends the session. Only failures that may pass are retried. */
export function createQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (!asProblem(error).isUnauthorized) return;
        // A refused admin key does not end the session of the query key.
        if (queryKey[0] === ADMIN_QUERIES) return adminKey.forget();
        keyStorage.forget();
        const signedOut: SignedOut = { kind: "signed-out", reason: KEY_REFUSED };
        queryClient.setQueryData(SESSION_KEY, signedOut);
      },
    }),
    defaultOptions: {
      queries: {
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

import { type QueryClient, useQueryClient } from "@tanstack/react-query";

/**
 * Returns the action of "Try again", which calls back and repeats every other failed query of the page. An outage fails
 * the list, the histogram and the fields together, so they are repeated together.
 */
export function useRetry(retryOwn?: () => void): () => void {
  const client = useQueryClient();
  return () => {
    retryOwn?.();
    repeatFailed(client);
  };
}

/** Repeats the failed request of every query of the page whose last request failed and that is not fetching again. */
export function repeatFailed(client: QueryClient): void {
  const failed = client.getQueryCache().findAll({
    type: "active",
    fetchStatus: "idle",
    predicate: ({ state }) => state.status === "error",
  });
  // `fetchMeta` has the direction of a further page, so that only this page of a list is repeated. To read all pages of
  // a list again would lose the rows that it began at, once pages were added before them.
  for (const query of failed) query.fetch(undefined, { meta: query.state.fetchMeta ?? {} }).catch(() => {});
}

import { useQueryClient } from "@tanstack/react-query";

/**
 * What "Try again" does: calls back, and asks every other failed query of the page again. An outage fails the list, the
 * histogram and the fields together, and whoever sees the server back wants all of them.
 */
export function useRetry(retryOwn?: () => void): () => void {
  const client = useQueryClient();
  return () => {
    retryOwn?.();
    void client.refetchQueries(
      { type: "active", fetchStatus: "idle", predicate: ({ state }) => state.status === "error" },
      { cancelRefetch: false },
    );
  };
}

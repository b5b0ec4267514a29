import { useQueryClient } from "@tanstack/react-query";

/**
 * Returns the action of "Try again", which calls back and repeats every other failed query of the page. An outage fails
 * the list, the histogram and the fields together, so they are repeated together.
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

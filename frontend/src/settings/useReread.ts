import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { ADMIN_QUERIES } from "../session/adminKey";

/**
 * Returns a function that reads a list of Settings again after a change. It cancels a first read that still runs: that
 * read may have been answered before the change, and an invalidation alone does not repeat it.
 */
export function useReread(...names: QueryKey): () => Promise<void> {
  const queryClient = useQueryClient();
  const queryKey = [ADMIN_QUERIES, ...names];
  return async () => {
    await queryClient.cancelQueries({ queryKey });
    await queryClient.invalidateQueries({ queryKey });
  };
}

import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { useEscape } from "../ui/useEscape";

/**
 * Returns a function that cancels the running request of numbers or patterns, as Escape does, and whether the request of
 * the shown search was cancelled. `kind` is the first part of the request's cache key.
 */
export function useCancel(kind: string, found: UseQueryResult) {
  const client = useQueryClient();
  const cancel = () => void client.cancelQueries({ queryKey: [kind] });
  useEscape(found.isFetching, cancel);
  return { cancel, isCancelled: !found.isFetching && (found.isPending || found.isPlaceholderData) };
}

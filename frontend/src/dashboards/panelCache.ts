import { type QueryKey, useIsFetching, useQueryClient } from "@tanstack/react-query";
import { STATS } from "../chart/useStats";

/** First part of the cache keys of the logs of panels. */
export const PANEL_LOGS = "panel-logs";

const isOfPanel = ({ queryKey: [kind] }: { queryKey: QueryKey }) => kind === STATS || kind === PANEL_LOGS;

/** Returns true while requests of panels are running. */
export function useArePanelsFetching(): boolean {
  return useIsFetching({ predicate: isOfPanel }) > 0;
}

/**
 * Returns a function that removes from the cache the answers that no panel shows, so that they do not fill the memory.
 * They are never shown again, because each refresh moves the range.
 */
export function useDropEarlierAnswers(): () => void {
  const client = useQueryClient();
  return () => client.removeQueries({ type: "inactive", predicate: isOfPanel });
}

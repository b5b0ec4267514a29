import { type QueryKey, useIsFetching, useQueryClient } from "@tanstack/react-query";
import { STATS } from "../chart/useStats";

/** First part of the cache keys of the logs of panels. */
export const PANEL_LOGS = "panel-logs";

const isOfPanel = ({ queryKey: [kind] }: { queryKey: QueryKey }) => kind === STATS || kind === PANEL_LOGS;

/** Returns true while panels are read. */
export function useArePanelsFetching(): boolean {
  return useIsFetching({ predicate: isOfPanel }) > 0;
}

/**
 * Returns a function that drops the answers that no panel shows. A dashboard that is refreshed for days would keep
 * minutes of them in memory, and none is shown again, because its range has moved on.
 */
export function useDropEarlierAnswers(): () => void {
  const client = useQueryClient();
  return () => client.removeQueries({ type: "inactive", predicate: isOfPanel });
}

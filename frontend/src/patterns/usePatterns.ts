import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";

/** First part of the cache keys of patterns. */
export const PATTERNS = "patterns";

/** Groups the matching messages into patterns. The previous patterns stay until the new patterns arrive. */
export function usePatterns(query: string, window: TimeWindow | null, isOn: boolean) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: [PATTERNS, tenant, query, ...windowKey(window)],
    queryFn: ({ signal }) => api.patterns({ query, ...requiredWindow(window) }, signal),
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
  });
}

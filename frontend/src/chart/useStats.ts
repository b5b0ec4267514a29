import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";

/** First part of the cache keys of numbers. */
export const STATS = "stats";

/** Function that calls `read` immediately or later, and returns its result. */
type Schedule = <Answer>(signal: AbortSignal, read: () => Promise<Answer>) => Promise<Answer>;

const AT_ONCE: Schedule = (_, read) => read();

/**
 * Computes the numbers of a text with `| stats`. `schedule` decides when the request starts. The previous numbers stay
 * until the new numbers arrive.
 */
export function useStats(text: string, window: TimeWindow | null, isOn: boolean, schedule = AT_ONCE) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: [STATS, tenant, text, ...windowKey(window)],
    // The result contains the window, so that the chart never draws old numbers on a new axis.
    queryFn: async ({ signal }) => {
      const shown = requiredWindow(window);
      return {
        text,
        window: shown,
        answer: await schedule(signal, () => api.stats({ query: text, ...shown }, signal)),
      };
    },
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
  });
}

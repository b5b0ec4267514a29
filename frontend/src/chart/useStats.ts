import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";

/** Computes the numbers of a text with `| stats`. The previous numbers stay until the next ones arrive. */
export function useStats(text: string, window: TimeWindow | null, isOn: boolean) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["stats", tenant, text, ...windowKey(window)],
    // The window travels with its numbers: the chart never draws old numbers on a new axis.
    queryFn: async ({ signal }) => {
      const shown = requiredWindow(window);
      return { text, window: shown, answer: await api.stats({ query: text, ...shown }, signal) };
    },
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
  });
}

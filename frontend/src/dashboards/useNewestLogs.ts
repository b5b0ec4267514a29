import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";
import { PANEL_LOGS } from "./panelCache";
import { whenFree } from "./whenFree";

/** Number of logs that a panel shows. */
const SHOWN = 50;

/** Reads the newest matching logs. The previous logs stay until the new logs arrive. */
export function useNewestLogs(query: string, window: TimeWindow | null, isOn: boolean) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: [PANEL_LOGS, tenant, query, ...windowKey(window)],
    queryFn: ({ signal }) =>
      whenFree(signal, () => api.newest({ query, ...requiredWindow(window) }, SHOWN, signal)),
    enabled: isOn && window !== null,
    placeholderData: keepPreviousData,
  });
}

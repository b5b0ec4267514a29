import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useMemo } from "react";
import { type AlertsApi, createAlertsApi } from "../api/alertsClient";
import { createLogsApi } from "../api/client";
import { createDashboardsApi, type DashboardsApi } from "../api/dashboardsClient";
import type { LogsApi } from "../api/logsApi";
import { createViewsApi, type ViewsApi } from "../api/viewsClient";
import { signOut } from "./endSession";
import type { SignedIn } from "./session";

interface ActiveSession {
  readonly api: LogsApi;
  readonly views: ViewsApi;
  readonly dashboards: DashboardsApi;
  readonly alerts: AlertsApi;
  readonly tenant: string;
  /** Key that this page sends. Another tab may have stored another key since. */
  readonly queryKey: string;
  readonly signOut: () => void;
}

const SessionContext = createContext<ActiveSession | null>(null);

export function SessionProvider({ session, children }: { session: SignedIn; children: React.ReactNode }) {
  const queryClient = useQueryClient();
  const { tenant, queryKey } = session;
  const active = useMemo<ActiveSession>(
    () => ({
      api: createLogsApi(queryKey),
      views: createViewsApi(queryKey),
      dashboards: createDashboardsApi(queryKey),
      alerts: createAlertsApi(queryKey),
      tenant,
      queryKey,
      signOut: () => signOut(queryClient, queryKey),
    }),
    [tenant, queryKey, queryClient],
  );
  return <SessionContext.Provider value={active}>{children}</SessionContext.Provider>;
}

/** Returns the signed-in tenant and its API client. Only components below SessionProvider may call it. */
export function useSession(): ActiveSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession is used outside SessionProvider");
  return session;
}

import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useMemo } from "react";
import { type AlertsApi, createAlertsApi } from "../api/alertsClient";
import { createLogsApi } from "../api/client";
import { createDashboardsApi, type DashboardsApi } from "../api/dashboardsClient";
import type { LogsApi } from "../api/logsApi";
import { createViewsApi, type ViewsApi } from "../api/viewsClient";
import { forgetHistory } from "../queryBar/queryHistory";
import { adminKey } from "./adminKey";
import { keyStorage } from "./keyStorage";
import type { SignedIn, SignedOut } from "./session";
import { SESSION_KEY } from "./session";

interface ActiveSession {
  readonly api: LogsApi;
  readonly views: ViewsApi;
  readonly dashboards: DashboardsApi;
  readonly alerts: AlertsApi;
  readonly tenant: string;
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
      signOut: () => {
        keyStorage.forget();
        adminKey.forget();
        forgetHistory();
        const signedOut: SignedOut = { kind: "signed-out", reason: null };
        queryClient.setQueryData(SESSION_KEY, signedOut);
        // Data of one tenant must not stay on the page when another tenant signs in.
        queryClient.removeQueries({ predicate: ({ queryKey: key }) => key[0] !== SESSION_KEY[0] });
        void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
      },
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

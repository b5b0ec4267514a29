import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouteContext, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useSession } from "../session/SessionContext";
import { nowMs } from "../time/serverClock";
import { useFirstUse } from "../ui/useFirstUse";
import { hadLogs, rememberLogs } from "./hadLogs";
import { readNewest } from "./newestLog";

/**
 * Opens "Get started" instead of the search page if the page was opened without a search and the tenant has no logs.
 * Queries the API once, or not at all if this browser has seen logs of the tenant. If the user starts to use the search
 * page before the answer arrives, the search page stays open.
 */
export function useFirstRun(): void {
  const { api, tenant } = useSession();
  const { isOpenedBare } = useRouteContext({ from: "__root__" });
  const isSearch = useRouterState({ select: (state) => state.location.pathname === "/" });
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(() => isOpenedBare && isSearch && !hadLogs(tenant));
  const { data: newest, isError } = useQuery({
    queryKey: ["first-run", tenant],
    queryFn: ({ signal }) => readNewest(cache, api, tenant, nowMs(), signal),
    enabled: isOpen,
  });
  useFirstUse(isOpen, () => setOpen(false));
  useEffect(() => {
    if (!isOpen || (newest === undefined && !isError)) return;
    setOpen(false);
    if (newest === null && isSearch) void navigate({ to: "/get-started", replace: true });
    if (newest) rememberLogs(tenant);
  }, [isOpen, isError, newest, isSearch, navigate, tenant]);
}

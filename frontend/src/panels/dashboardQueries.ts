import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Dashboard, DashboardMembers, OpenedDashboard, View } from "../api/types";
import { useSession } from "../session/SessionContext";

/** First part of the cache keys of everything about dashboards. */
export const DASHBOARDS = "dashboards";

/** Queries the tenant's dashboards. Colleagues change them too, so each visit reads them again. */
export function useDashboardList() {
  const { dashboards, tenant } = useSession();
  return useQuery({
    queryKey: [DASHBOARDS, tenant],
    queryFn: ({ signal }) => dashboards.list(signal),
    staleTime: 0,
  });
}

/** Queries a dashboard with the views of its panels. */
export function useDashboard(id: string) {
  const { dashboards, tenant } = useSession();
  return useQuery({
    queryKey: [DASHBOARDS, tenant, id],
    queryFn: ({ signal }) => dashboards.dashboard(id, signal),
    staleTime: 0,
  });
}

/** A change of a dashboard; `dashboard` is null for a new one. */
export interface DashboardChange {
  readonly dashboard: Dashboard | null;
  readonly members: DashboardMembers;
  /** Views of added panels. The API's answer to a save has no views. */
  readonly views: readonly View[];
}

/**
 * Saves a new dashboard, or replaces a dashboard. The API refuses to replace a dashboard that was changed since it was
 * read. Calls `onSaved` once the page has the saved dashboard, which is then read again with its views.
 */
export function useSaveDashboard(onSaved: (dashboard: Dashboard) => void) {
  const { dashboards, tenant } = useSession();
  const cache = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ dashboard, members }: DashboardChange) =>
      dashboard === null
        ? dashboards.create(members)
        : dashboards.change(dashboard.id, dashboard.revision, members),
    onSuccess: (saved, { views }) => {
      cache.setQueryData<OpenedDashboard>([DASHBOARDS, tenant, saved.id], (before) => ({
        ...saved,
        views: [...(before?.views ?? []), ...views],
      }));
      onSaved(saved);
      return refresh();
    },
    // After a conflict, reads the changed dashboard, so that the next attempt replaces its present revision.
    onError: refresh,
  });
}

export function useDeleteDashboard(onDeleted: () => void) {
  const { dashboards, tenant } = useSession();
  const cache = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, revision }: Dashboard) => dashboards.remove(id, revision),
    onSuccess: (_, { id }) => {
      onDeleted();
      cache.removeQueries({ queryKey: [DASHBOARDS, tenant, id] });
      return refresh();
    },
    onError: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const { tenant } = useSession();
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: [DASHBOARDS, tenant] });
}

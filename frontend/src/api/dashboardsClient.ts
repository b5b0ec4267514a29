import { answer, createApiClient, done } from "./apiClient";
import type { Dashboard, DashboardMembers, OpenedDashboard } from "./types";

/**
 * Client of the routes of dashboards. A method that fails rejects with an ApiProblem, and with an AbortError if its
 * signal is aborted.
 */
export interface DashboardsApi {
  /** Returns all dashboards of the tenant by name. */
  list(signal: AbortSignal): Promise<readonly Dashboard[]>;
  dashboard(id: string, signal?: AbortSignal): Promise<OpenedDashboard>;
  create(members: DashboardMembers): Promise<Dashboard>;
  /** Replaces a dashboard. Rejects with code `revision_conflict` if the stored one has another revision. */
  change(id: string, revision: number, members: DashboardMembers): Promise<Dashboard>;
  remove(id: string, revision: number): Promise<void>;
}

export function createDashboardsApi(queryKey: string): DashboardsApi {
  const client = createApiClient(queryKey);
  const at = (id: string) => ({ path: { id } });
  return {
    list: async (signal) => (await answer(client.GET("/api/v1/dashboards", { signal }))).dashboards,
    dashboard: (id, signal) =>
      answer(client.GET("/api/v1/dashboards/{id}", { params: at(id), signal: signal ?? null })),
    create: (members) => answer(client.POST("/api/v1/dashboards", { body: members })),
    change: (id, revision, members) =>
      answer(client.PUT("/api/v1/dashboards/{id}", { params: at(id), body: { ...members, revision } })),
    remove: (id, revision) =>
      done(client.DELETE("/api/v1/dashboards/{id}", { params: { ...at(id), query: { revision } } })),
  };
}

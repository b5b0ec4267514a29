import { answer, createApiClient, done } from "./apiClient";
import type { Alert, AlertHistory, AlertMembers, AlertStatus } from "./types";

/**
 * Client of the routes of alert rules. A method that fails rejects with an ApiProblem, and with an AbortError if its
 * signal is aborted.
 */
export interface AlertsApi {
  /** Returns all rules of the tenant by name, with their states. */
  list(signal: AbortSignal): Promise<readonly Alert[]>;
  status(id: string, signal: AbortSignal): Promise<AlertStatus>;
  history(id: string, signal: AbortSignal): Promise<AlertHistory>;
  create(members: AlertMembers): Promise<Alert>;
  /** Replaces a rule. It keeps its stored channels if `channels` is null. */
  change(id: string, revision: number, members: AlertMembers): Promise<Alert>;
  /** Mutes a rule until a time (RFC 3339), so that groups that begin to fire cause no notices; null ends the mute. */
  mute(id: string, until: string | null): Promise<Alert>;
  /** Sends a test notice to each channel, and returns the notices' ids. */
  test(id: string): Promise<readonly string[]>;
  remove(id: string, revision: number): Promise<void>;
}

export function createAlertsApi(queryKey: string): AlertsApi {
  const client = createApiClient(queryKey);
  const at = (id: string) => ({ path: { id } });
  return {
    list: async (signal) => (await answer(client.GET("/api/v1/alerts", { signal }))).alerts,
    status: (id, signal) => answer(client.GET("/api/v1/alerts/{id}", { params: at(id), signal })),
    history: (id, signal) => answer(client.GET("/api/v1/alerts/{id}/history", { params: at(id), signal })),
    create: ({ channels, ...members }) =>
      answer(client.POST("/api/v1/alerts", { body: { ...members, channels: channels ?? [] } })),
    change: (id, revision, members) =>
      answer(client.PUT("/api/v1/alerts/{id}", { params: at(id), body: { ...members, revision } })),
    mute: (id, until) => answer(client.POST("/api/v1/alerts/{id}/mute", { params: at(id), body: { until } })),
    test: async (id) => (await answer(client.POST("/api/v1/alerts/{id}/test", { params: at(id) }))).notices,
    remove: (id, revision) =>
      done(client.DELETE("/api/v1/alerts/{id}", { params: { ...at(id), query: { revision } } })),
  };
}

import { answer, createApiClient, done } from "./apiClient";
import type { ListedView, View } from "./types";

/** Everything of a saved view that users choose. */
export type ViewMembers = Omit<
  View,
  "id" | "revision" | "created_at" | "created_by" | "changed_at" | "changed_by"
>;

/** Client of the routes of saved views. Every method rejects with an ApiProblem, or with the signal's abort. */
export interface ViewsApi {
  /** Returns all views of the tenant by folder and name. */
  list(signal: AbortSignal): Promise<readonly ListedView[]>;
  view(id: string, signal?: AbortSignal): Promise<View>;
  create(members: ViewMembers): Promise<View>;
  /** Replaces a view. Rejects with code `revision_conflict` if the stored view has another revision. */
  change(id: string, revision: number, members: ViewMembers): Promise<View>;
  remove(id: string, revision: number): Promise<void>;
}

export function createViewsApi(queryKey: string): ViewsApi {
  const client = createApiClient(queryKey);
  return {
    list: async (signal) => (await answer(client.GET("/api/v1/views", { signal }))).views,
    view: (id, signal) =>
      answer(
        client.GET("/api/v1/views/{id}", {
          params: { path: { id } },
          signal: signal ?? null,
        }),
      ),
    create: (members) => answer(client.POST("/api/v1/views", { body: members })),
    change: (id, revision, members) =>
      answer(client.PUT("/api/v1/views/{id}", { params: { path: { id } }, body: { ...members, revision } })),
    remove: (id, revision) =>
      done(client.DELETE("/api/v1/views/{id}", { params: { path: { id }, query: { revision } } })),
  };
}

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { View } from "../api/types";
import type { ViewMembers } from "../api/viewsClient";
import { useSession } from "../session/SessionContext";

/** First part of the cache keys of lists of views. The key of a single view begins with "view". */
export const VIEWS = "views";

/** Queries the list of the tenant's views. */
export function useViewList(isEnabled: boolean) {
  const { views, tenant } = useSession();
  return useQuery({
    queryKey: [VIEWS, tenant],
    queryFn: ({ signal }) => views.list(signal),
    enabled: isEnabled,
    // Colleagues change views too, so each opening of the menu reads the list again.
    staleTime: 0,
  });
}

/** Queries one view; null queries none. */
export function useView(id: string | null) {
  const { views, tenant } = useSession();
  return useQuery({
    queryKey: ["view", tenant, id],
    queryFn: ({ signal }) => views.view(id ?? "", signal),
    enabled: id !== null,
  });
}

/** Returns a function that reads the present revision of a view. */
export function useReadView(): (id: string) => Promise<View> {
  const { views, tenant } = useSession();
  const cache = useQueryClient();
  return (id) =>
    cache.query({
      queryKey: ["view", tenant, id],
      queryFn: ({ signal }) => views.view(id, signal),
      staleTime: 0,
    });
}

/** A change of a saved view; `view` is null for a new one. */
export interface ViewChange {
  readonly view: View | null;
  readonly members: ViewMembers;
}

/** Saves a new view, or replaces a view. The API refuses to replace a view that was changed since it was read. */
export function useSaveView(onSaved: (view: View) => void) {
  const { views, tenant } = useSession();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ view, members }: ViewChange) =>
      view === null ? views.create(members) : views.change(view.id, view.revision, members),
    onSuccess: (saved) => {
      cache.setQueryData(["view", tenant, saved.id], saved);
      onSaved(saved);
      // A new default view changes the view that was the default before.
      void cache.invalidateQueries({ queryKey: ["view", tenant] });
      return cache.invalidateQueries({ queryKey: [VIEWS, tenant] });
    },
    // After a conflict, reads the changed view, so that the next attempt replaces its present revision.
    onError: () => cache.invalidateQueries({ queryKey: ["view", tenant] }),
  });
}

/** Deletes a saved view. Calls back with the id of the deleted view, also after another view has been opened. */
export function useDeleteView(onDeleted: (id: string) => void) {
  const { views, tenant } = useSession();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (view: View) => views.remove(view.id, view.revision),
    onSuccess: (_, view) => {
      onDeleted(view.id);
      cache.removeQueries({ queryKey: ["view", tenant, view.id] });
      return cache.invalidateQueries({ queryKey: [VIEWS, tenant] });
    },
    onError: () => cache.invalidateQueries({ queryKey: ["view", tenant] }),
  });
}

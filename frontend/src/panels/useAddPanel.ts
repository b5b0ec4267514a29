import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Dashboard, View } from "../api/types";
import { useSession } from "../session/SessionContext";
import { VIEWS } from "../views/viewQueries";
import { searchOf, type ViewState } from "../views/viewState";
import { DASHBOARDS } from "./dashboardQueries";
import { addPanel, withKeys, withoutKeys } from "./panelList";

/** A panel that is added to a dashboard. */
export interface NewPanel {
  readonly title: string;
  readonly search: ViewState;
  /** The saved view that has this search; null if it has to be saved first. */
  readonly view: View | null;
  /** Id of the dashboard, or the name of a dashboard that is created. */
  readonly target: { readonly id: string } | { readonly name: string };
}

/** Saves the search of a panel as a view if no view has it, and adds the panel to a stored or a new dashboard. */
export function useAddPanel() {
  const { views, dashboards, tenant } = useSession();
  const cache = useQueryClient();
  /** The view of an attempt whose second request failed, so that the next attempt does not save another view. */
  const saved = useRef<View | null>(null);
  return useMutation({
    mutationFn: async ({ title, search, view, target }: NewPanel): Promise<Dashboard> => {
      const shown = view ?? saved.current ?? (await views.create(newView(title, search)));
      if (view === null) saved.current = shown;
      const named = title === shown.name ? "" : title;
      const added = (panels: Dashboard["panels"]) =>
        withoutKeys(addPanel(withKeys(panels), shown)).map((panel, index) =>
          index === panels.length ? { ...panel, title: named } : panel,
        );
      if ("name" in target) {
        const { from: start, to: end } = search;
        return dashboards.create({ name: target.name, start, end, refresh_seconds: null, panels: added([]) });
      }
      // Reads the present revision, because the list may be older than a change of another user.
      const { id, revision, ...stored } = await dashboards.dashboard(target.id);
      const { name, start, end, refresh_seconds } = stored;
      return dashboards.change(id, revision, {
        name,
        start,
        end,
        refresh_seconds,
        panels: added(stored.panels),
      });
    },
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: [DASHBOARDS, tenant] }),
        cache.invalidateQueries({ queryKey: [VIEWS, tenant] }),
      ]),
  });
}

function newView(name: string, search: ViewState) {
  return { name, folder: "", is_default: false, ...searchOf(search) };
}

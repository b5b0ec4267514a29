import { decodeSearchState, parseSearchText, withStage } from "../url/searchState";
import type { ViewState } from "./viewState";

/** A view that an address names, and the address's own values of the search. */
export interface LinkedView {
  readonly id: string;
  readonly given: Partial<ViewState>;
}

/**
 * Members that every address of a whole search has. `chart` is not among them, because an address has it only if a user
 * chose a kind.
 */
const MEMBERS = ["query", "stats", "mode", "from", "to", "order", "columns", "by"] as const;

/**
 * Returns the view that the search part of an address names. Returns null if it names none, or if the address has all
 * members itself.
 */
export function linkedView(search: string): LinkedView | null {
  const raw = withStage(parseSearchText(search));
  const state = decodeSearchState(raw);
  const isGiven = (name: string) => Object.hasOwn(raw, name);
  if (state.view === null || MEMBERS.every(isGiven)) return null;
  // A chart needs a `| stats` stage. A view with such a stage opens the chart anyway.
  const isOfView = raw.mode === "chart" && !isGiven("stats");
  const names = [...MEMBERS, "chart" as const].filter((name) => name !== "mode" || !isOfView);
  const given = names.filter(isGiven);
  return { id: state.view, given: Object.fromEntries(given.map((name) => [name, state[name]])) };
}

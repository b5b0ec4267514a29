import { decodeSearchState, parseSearchText } from "../url/searchState";
import type { ViewState } from "./viewState";

/** A view that an address names, and the values that the address has itself. */
export interface LinkedView {
  readonly id: string;
  readonly given: Partial<ViewState>;
}

/** Members that the address of a whole search always has. `chart` is left out of it where nobody chose a kind. */
const MEMBERS = ["query", "stats", "mode", "from", "to", "order", "columns", "by"] as const;

/** Returns the view that the search part of an address names; null if there is none, or if nothing is left to it. */
export function linkedView(search: string): LinkedView | null {
  const raw = parseSearchText(search);
  const state = decodeSearchState(raw);
  const isGiven = (name: string) => Object.hasOwn(raw, name);
  if (state.view === null || MEMBERS.every(isGiven)) return null;
  const given = [...MEMBERS, "chart" as const].filter(isGiven);
  return { id: state.view, given: Object.fromEntries(given.map((name) => [name, state[name]])) };
}

import { useRouterState } from "@tanstack/react-router";
import { useRef } from "react";
import { DEFAULT_STATE, decodeSearchState, type SearchState } from "../url/searchState";

/** Returns the state of the search page, or its last state while another page is open. */
export function useLastSearch(): SearchState {
  const location = useRouterState({ select: (state) => state.resolvedLocation ?? state.location });
  const last = useRef<SearchState>(DEFAULT_STATE);
  if (location.pathname === "/") last.current = decodeSearchState(location.search);
  return last.current;
}

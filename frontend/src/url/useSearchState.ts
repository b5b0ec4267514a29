import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { SearchState } from "./searchState";

/** Changes the URL. "replace" adds no entry to the browser's history. */
export type ChangeSearch = (changes: Partial<SearchState>, history?: "push" | "replace") => void;

/** Returns the page's state from the URL, and a function that changes it. */
export function useSearchState(): readonly [SearchState, ChangeSearch] {
  const state = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const change = useCallback<ChangeSearch>(
    (changes, history = "push") => {
      void navigate({
        to: "/",
        search: (previous) => ({ ...previous, ...changes }),
        replace: history === "replace",
      });
    },
    [navigate],
  );
  return [state, change];
}

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { SearchState } from "./searchState";

/** Changes the URL; "replace" for steps nobody wants to go back through one by one. */
export type ChangeSearch = (changes: Partial<SearchState>, history?: "push" | "replace") => void;

/** The page's state as the URL has it, and the way to change it. */
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

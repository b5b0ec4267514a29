import { useState } from "react";

/**
 * Returns a pair: true if this search was the last one that was repeated automatically, and a function that stores the
 * repeated search (null for none). Another search ends the repetition, so that going back to the repeated search counts
 * as a new search.
 */
export function useRepeatedSearch(search: string) {
  const [repeated, setRepeated] = useState<string | null>(null);
  if (repeated !== null && repeated !== search) setRepeated(null);
  return [repeated === search, setRepeated] as const;
}

/**
 * Returns true if the newest complete answer on the page belongs to this search. An earlier answer to the same search
 * may stay on the page, undimmed, while the search is repeated. An answer to another search may not.
 */
export function useIsAnswered(search: string, hasAnswer: boolean): boolean {
  const [answered, setAnswered] = useState<string | null>(null);
  if (hasAnswer && answered !== search) setAnswered(search);
  return hasAnswer || answered === search;
}

interface ShownAnswers {
  /** Identifies the search, as in `useIsAnswered`. */
  readonly search: string;
  /** True while the page repeats the search by itself. */
  readonly isRepeated: boolean;
  /** Kind of the shown results. */
  readonly mode: string;
  /** True if the results belong to the newest run of the search. */
  readonly hasResults: boolean;
  /** True if the counts belong to the newest run of the search. */
  readonly hasCounts: boolean;
}

/**
 * Returns `isQuiet`, which is true while the page repeats a search whose results it shows already, and `isCounted`,
 * which is true if the counts on the page belong to this search or to its run before an automatic repetition.
 */
export function useQuietRefresh({ search, isRepeated, mode, hasResults, hasCounts }: ShownAnswers) {
  const areResultsOfSearch = useIsAnswered(JSON.stringify([mode, search]), hasResults);
  const areCountsOfSearch = useIsAnswered(search, hasCounts);
  return {
    isQuiet: isRepeated && areResultsOfSearch,
    isCounted: hasCounts || (isRepeated && areCountsOfSearch),
  };
}

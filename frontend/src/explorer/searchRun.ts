import { windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";
import { useFrozenWindow } from "../timeRange/useFrozenWindow";
import type { SearchState } from "../url/searchState";

/** One run of a search, with the fixed times that it reads. */
export interface SearchRun {
  /** Identifies the search: its text, order and range as the address has them. All runs of the search share it. */
  readonly search: string;
  /** Identifies the run: the query, order and fixed times of its list. */
  readonly run: string;
  readonly window: TimeWindow | null;
}

/** Returns the run that the page shows, and a function that starts the next run of the same search. */
export function useSearchRun(state: SearchState): [SearchRun, () => void] {
  const { query, stats, order, from, to } = state;
  const [window, refresh] = useFrozenWindow(query, state);
  const search = JSON.stringify([query, stats, order, from, to]);
  const run = JSON.stringify([query, order, ...windowKey(window)]);
  return [{ search, run, window }, refresh];
}

import type { TimeWindow } from "../time/timeExpression";
import type { ResultMode, SearchState } from "../url/searchState";
import type { ChangeSearch } from "../url/useSearchState";

/** Properties that the page gives to the areas of logs, patterns and charts. */
export interface AreaProps {
  readonly state: SearchState;
  readonly window: TimeWindow | null;
  /** True while the same search is refreshed automatically, during which its results are not dimmed. */
  readonly isQuiet: boolean;
  readonly change: ChangeSearch;
  /** Runs the search with these changes. */
  readonly onRun: (changes: Partial<SearchState>) => void;
  readonly onMode: (mode: ResultMode) => void;
  readonly onRefresh: () => void;
}

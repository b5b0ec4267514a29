import { type RefObject, useCallback } from "react";
import type { EditQuery } from "../facets/FacetField";
import { addFilter, addTerm, type FilterBy } from "../language/editQuery";
import { countOverTime, writeStats } from "../language/statsForm";
import { joinStats, searchParts, splitStats } from "../language/statsStage";
import type { QueryEditorHandle } from "../queryBar/QueryEditor";
import { rememberQuery } from "../session/queryHistory";
import { fromMilliseconds } from "../time/nanoseconds";
import { nowMs } from "../time/serverClock";
import { absoluteRange, type TimeWindow, zoomOut } from "../time/timeExpression";
import { useLatest } from "../ui/useLatest";
import type { ResultMode, SearchState } from "../url/searchState";
import type { ChangeSearch } from "../url/useSearchState";
import { mark } from "./marks";
import { queryAfter, searchAfter } from "./searchAfter";

interface RunSearch {
  readonly state: SearchState;
  readonly change: ChangeSearch;
  readonly window: TimeWindow | null;
  readonly editor: RefObject<QueryEditorHandle | null>;
  /** Reads the same search again. */
  readonly onRepeat: () => void;
}

/** Returns what the controls of the page call to run a search. Each takes the text of the query bar into account. */
export function useRunSearch({ state, change, window, editor, onRepeat }: RunSearch) {
  const text = joinStats(state.query, state.stats);
  const typedText = () => editor.current?.text() ?? text;
  const typedQuery = () => splitStats(typedText()).query;
  const typedSearch = useLatest(() => searchParts(typedText()));
  /** Runs the search with these changes and with the text in the query bar, even if that text was not run before. */
  const runWith = useLatest((changes: Partial<SearchState>) => {
    mark("enter");
    const after = searchAfter(state, typedText(), changes);
    const shown = joinStats(after.query, after.stats);
    rememberQuery(shown);
    if ((changes.query ?? changes.stats) !== undefined) editor.current?.set(shown);
    change(after);
  });
  const run = (entered: string) => {
    const parts = searchParts(entered);
    if (joinStats(parts.query, parts.stats) !== text) return runWith(parts);
    mark("enter");
    rememberQuery(text);
    onRepeat();
  };
  /** Runs a query that a control has changed. The query bar shows it, also if it equals the query that was run last. */
  const changeQuery = (edited: string) => {
    const after = queryAfter(state, typedText(), edited);
    editor.current?.set(joinStats(after.query, after.stats));
    change(after);
  };
  const filter: FilterBy = (field, value, isExcluded) =>
    changeQuery(addFilter(typedQuery(), field, value, isExcluded));
  const showMode = (mode: ResultMode) => {
    const shown = splitStats(typedText()).stats ?? "";
    const isFirst = mode === "chart" && shown === "" && window !== null;
    runWith({ mode, stats: isFirst ? (writeStats(countOverTime(window)) ?? "") : shown });
  };
  return {
    typedSearch,
    run,
    runTyped: () => run(typedText()),
    runWith,
    edit: useLatest<Parameters<EditQuery>>((edited) => changeQuery(edited(typedQuery()))),
    filter,
    addTerm: (term: string) => changeQuery(addTerm(typedQuery(), term)),
    showMode,
    zoomIn: useCallback((selected: TimeWindow) => runWith(absoluteRange(selected)), [runWith]),
    zoomOut: useLatest(() => {
      if (window !== null) runWith(absoluteRange(zoomOut(window, fromMilliseconds(nowMs()))));
    }),
  };
}

import { searchParts, splitStats } from "../language/statsStage";
import type { SearchState } from "../url/searchState";

/** Members of the page's state that change when a query is run. */
export type RunChanges = Partial<SearchState> & Pick<SearchState, "query" | "stats" | "mode" | "tail">;

/**
 * Returns what changes when the search is run with these changes. The query and the stage of the typed text are run
 * too, unless the changes have their own, even if the text was not run before.
 */
export function searchAfter(state: SearchState, typed: string, changes: Partial<SearchState>): RunChanges {
  const parts = splitStats(typed);
  const query = changes.query ?? (changes.stats === undefined ? searchParts(typed) : parts).query;
  const stats = changes.stats ?? parts.stats ?? "";
  const after = modeAfter(stats, state);
  const mode = changes.mode ?? after.mode;
  // A live tail ends when a chart replaces it, or a range that has ended, in which no new logs arrive.
  const isPast = changes.to !== undefined && changes.to !== "now";
  const tail = after.tail && changes.mode !== "chart" && !isPast;
  const closed = query !== state.query || mode !== state.mode ? { record: null, context: null } : {};
  return { tail, ...changes, query, stats, mode, ...closed };
}

/** Returns what changes when a control changes the query. The stage of the typed text is run too. */
export function queryAfter(state: SearchState, typed: string, query: string): RunChanges {
  const stats = splitStats(typed).stats ?? "";
  return { ...modeAfter(stats, state), query, stats };
}

/**
 * Returns what the page shows after a query with this stage is run; "" stands for no stage. A new stage opens the chart
 * and ends a live tail. Without a stage, the logs take the place of the chart.
 */
function modeAfter(stage: string, { stats, mode, tail }: SearchState): Pick<SearchState, "mode" | "tail"> {
  if (stage !== "" && stage !== stats) return { mode: "chart", tail: false };
  return { mode: stage === "" && mode === "chart" ? "logs" : mode, tail };
}

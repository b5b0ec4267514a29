import type { ViewMembers } from "../api/viewsClient";
import { chosenColumns, readColumns, writeColumns } from "../columns/columns";
import { joinStats, splitStats } from "../language/statsStage";
import type { SearchState } from "../url/searchState";

/** The part of the search page's state that a saved view has. */
export type ViewState = Pick<
  SearchState,
  "query" | "stats" | "mode" | "chart" | "from" | "to" | "order" | "columns" | "by"
>;

type ViewSearch = Pick<
  ViewMembers,
  "query" | "start" | "end" | "order" | "columns" | "chart_by" | "chart_kind"
>;

/** Returns the search of a state in the form that the API stores. */
export function searchOf(state: ViewState): ViewSearch {
  return {
    query: joinStats(state.query, state.stats),
    start: state.from,
    end: state.to,
    order: state.order,
    columns: chosenColumns(readColumns(state.columns)).map(({ field, width }) => ({ field, width })),
    chart_by: state.by,
    chart_kind: state.chart,
  };
}

/** Returns the state that shows a stored view. */
export function stateOf(view: ViewSearch): ViewState {
  const { query, stats } = splitStats(view.query);
  return {
    query,
    stats: stats ?? "",
    mode: stats === null ? "logs" : "chart",
    chart: view.chart_kind,
    from: view.start,
    to: view.end,
    order: view.order,
    columns: writeColumns(view.columns.map(({ field, width }) => ({ field, width: width ?? null }))),
    by: view.chart_by,
  };
}

/** Returns true if the state is no longer the search that the view stores. */
export function isChanged(view: ViewSearch, state: ViewState): boolean {
  return JSON.stringify(searchOf(stateOf(view))) !== JSON.stringify(searchOf(state));
}

/** Returns the link that opens a view with the values that are stored when the link is opened. */
export function viewLink(page: string, id: string): string {
  return new URL(`/?view=${id}`, page).toString();
}

import { writeStats } from "../language/statsForm";
import { joinStats } from "../language/statsStage";
import { suggestedStep } from "../language/timeStep";
import type { TimeWindow } from "../time/timeExpression";
import type { ViewState } from "../views/viewState";

/** Largest number of characters of a view's name. The API has the same limit. */
const MAX_NAME = 100;

/**
 * Returns the search whose panel shows the same counts as the histogram: stacked bars of the most frequent severities,
 * or of the most frequent values of the field that the bars are stacked by.
 */
export function panelOfCounts<State extends ViewState>(state: State, window: TimeWindow): State {
  const form = { name: "count", field: "", by: state.by ?? "severity", step: suggestedStep(window) } as const;
  return { ...state, stats: writeStats(form) ?? "", mode: "chart", chart: "bars" };
}

/** Returns a name for the view that keeps the search of a panel: its functions and groups, and its query. */
export function panelName({ query, stats }: Pick<ViewState, "query" | "stats">): string {
  const shown = stats.replace(LIMIT, "").trim();
  const text = (query === "" ? shown : `${shown}: ${query}`).replaceAll(/\s+/g, " ");
  return cut(text, MAX_NAME).trim();
}

/** Returns the beginning of a name, at most this number of UTF-16 units long, without half a character at its end. */
function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}

const LIMIT = /\|\s*limit\s+\d+\s*$/;

/** Returns the name, or the name with the first number from 2 that no taken name has. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(numbered(name, number))) number += 1;
  return numbered(name, number);
}

function numbered(name: string, number: number): string {
  const end = ` ${number}`;
  return cut(name, MAX_NAME - end.length) + end;
}

/** Returns true if both searches show the same panel, whatever their ranges. */
export function isSamePanel(stored: ViewState, shown: ViewState): boolean {
  const text = (state: ViewState) => [joinStats(state.query, state.stats), state.chart];
  return JSON.stringify(text(stored)) === JSON.stringify(text(shown));
}

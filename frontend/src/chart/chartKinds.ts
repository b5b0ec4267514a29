import type { StatsAnswer } from "../api/types";
import type { ChartKind } from "../url/chartKind";

/** Functions that add up: the values of all groups are together the value over all logs. */
const ADDED = /^(count|count_if|rate|sum)\(/;

/** Returns true for a function of an answer whose values of all groups add up to the value over all logs. */
export function addsUp({ columns }: StatsAnswer, place: number): boolean {
  return ADDED.test(columns.filter(({ kind }) => kind === "function")[place]?.name ?? "");
}

/** Returns the kinds that can draw one function of an answer, the best one first. */
export function kindsOf(answer: StatsAnswer, place: number): readonly ChartKind[] {
  // Only bars of a function that adds up can be stacked.
  if (answer.interval_ns !== null) {
    return addsUp(answer, place) ? ["bars", "lines", "table"] : ["lines", "table"];
  }
  return answer.columns.some(({ kind }) => kind === "field") ? ["top", "table"] : ["number", "table"];
}

/** Returns true for a kind that draws one function. The others show all of them. */
export function drawsOne(kind: ChartKind): boolean {
  return kind !== "table" && kind !== "number";
}

/** Returns the chosen kind if it can draw the function, otherwise the best one. */
export function kindOf(answer: StatsAnswer, chosen: ChartKind | null, place: number): ChartKind {
  const kinds = kindsOf(answer, place);
  return chosen !== null && kinds.includes(chosen) ? chosen : (kinds[0] ?? "table");
}

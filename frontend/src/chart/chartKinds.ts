import type { StatsAnswer } from "../api/types";

/**
 * Ways to draw an answer: lines over time, stacked bars over time, a list with a bar for each group, a table, or single
 * numbers.
 */
export const CHART_KINDS = ["lines", "bars", "top", "table", "number"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

export function isChartKind(value: unknown): value is ChartKind {
  return CHART_KINDS.some((kind) => kind === value);
}

/** Functions whose values of all groups add up to the value over all logs. Only their bars can be stacked. */
const ADDED = /^(count|count_if|rate|sum)\(/;

/** Returns the kinds that can draw one function of an answer, the best one first. */
export function kindsOf({ interval_ns, columns }: StatsAnswer, place: number): readonly ChartKind[] {
  const drawn = columns.filter(({ kind }) => kind === "function")[place]?.name ?? "";
  if (interval_ns !== null) return ADDED.test(drawn) ? ["bars", "lines", "table"] : ["lines", "table"];
  return columns.some(({ kind }) => kind === "field") ? ["top", "table"] : ["number", "table"];
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

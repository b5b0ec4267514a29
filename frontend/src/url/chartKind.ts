/**
 * Ways to draw an answer: lines over time, stacked bars over time, a list with a bar for each group, a table, or single
 * numbers.
 */
export const CHART_KINDS = ["lines", "bars", "top", "table", "number"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

export function isChartKind(value: unknown): value is ChartKind {
  return CHART_KINDS.some((kind) => kind === value);
}

/** Steps of a run: Enter was pressed, the search was requested, its first rows were drawn, counts were requested. */
export type Step = "enter" | "search" | "rows" | "counts";

/** Writes a step to the browser's performance timeline as `logsieve:STEP`, where tools and tests read it. */
export function mark(step: Step): void {
  performance.mark(`logsieve:${step}`);
}

import type { SearchState } from "../url/searchState";

type Shown = Pick<SearchState, "mode" | "tail">;

/**
 * Returns what the page shows after a query with this stage is run; "" stands for no stage. A new stage opens the chart
 * and ends a live tail. Without a stage, the logs take the place of the chart.
 */
export function modeAfter(stage: string, { stats, mode, tail }: Pick<SearchState, "stats"> & Shown): Shown {
  if (stage !== "" && stage !== stats) return { mode: "chart", tail: false };
  return { mode: stage === "" && mode === "chart" ? "logs" : mode, tail };
}

import type { ResultMode, SearchState } from "../url/searchState";

/** Returns the mode after a query with this stage is run; "" stands for no stage. A new stage opens the chart. */
export function modeAfter(stage: string, { stats, mode }: Pick<SearchState, "stats" | "mode">): ResultMode {
  if (stage !== "" && stage !== stats) return "chart";
  return stage === "" && mode === "chart" ? "logs" : mode;
}

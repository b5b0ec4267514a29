import { writeFilter } from "../language/editQuery";
import { absoluteRange } from "../time/timeExpression";
import { DEFAULT_STATE, type SearchState } from "../url/searchState";
import type { TraceExtent } from "./timeline";

/** Returns the query for all logs of a trace. */
export function traceQuery(traceId: string): string {
  return writeFilter("trace_id", traceId);
}

/** Returns the search for all logs of a trace, oldest first. */
export function traceSearch(traceId: string, { first, last }: TraceExtent): SearchState {
  const range = absoluteRange({ start: first, end: last + 1n });
  return { ...DEFAULT_STATE, query: traceQuery(traceId), ...range, order: "asc" };
}

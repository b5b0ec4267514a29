import { writeFilter } from "../language/editQuery";
import { type Nanoseconds, NS_PER_MS } from "../time/nanoseconds";
import { absoluteRange } from "../time/timeExpression";
import { DEFAULT_STATE, type SearchState } from "../url/searchState";
import type { TraceExtent } from "./timeline";

/** Part of a trace's duration that its search covers before the first and after the last log: a twentieth. */
const MARGIN = 20n;

/** Returns the query for all logs of a trace. */
export function traceQuery(traceId: string): string {
  return writeFilter("trace_id", traceId);
}

/**
 * Returns the search for all logs of a trace, oldest first. Its range begins before the first log and ends after the
 * last one, at whole milliseconds, so that the bars of both are inside of the histogram.
 */
export function traceSearch(traceId: string, { first, last }: TraceExtent): SearchState {
  const margin = (last - first) / MARGIN + NS_PER_MS;
  const range = absoluteRange({
    start: toMillisecond(first - margin),
    end: toMillisecond(last + margin) + NS_PER_MS,
  });
  return { ...DEFAULT_STATE, query: traceQuery(traceId), ...range, order: "asc" };
}

/** Returns the last whole millisecond that is not after the time. */
function toMillisecond(time: Nanoseconds): Nanoseconds {
  return (time / NS_PER_MS) * NS_PER_MS;
}

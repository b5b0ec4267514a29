import type { Log } from "../api/types";
import { writeFilter } from "../language/editQuery";
import { NS_PER_SECOND, parseRfc3339 } from "../time/nanoseconds";
import { absoluteRange } from "../time/timeExpression";
import type { SearchState } from "../url/searchState";

/**
 * Nanoseconds before and after a record in which the rest of its trace is searched: longer than nearly every request
 * takes.
 */
const MARGIN = 1800n * NS_PER_SECOND;

/** Returns the search for all records of the record's trace, oldest first; null where the record has no trace. */
export function traceSearch(log: Log): Partial<SearchState> | null {
  const time = parseRfc3339(log.timestamp);
  if (log.trace_id === "" || time === null) return null;
  return {
    query: writeFilter("trace_id", log.trace_id),
    ...absoluteRange({ start: time - MARGIN, end: time + MARGIN }),
    order: "asc",
  };
}

import { visibleText } from "../text/signs";
import type { TimeZoneChoice } from "../time/format";
import { formatWindowEdges } from "../time/format";
import type { Nanoseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { describeRelative } from "../time/timeExpression";
import type { SearchState } from "../url/searchState";

/** Largest number of characters of a query in a tab's title. */
const LONGEST_QUERY = 60;

/** Returns the title of the tab, such as `"payment" · last 15 minutes · Logsieve`: query, range and page. */
export function pageTitle(
  state: SearchState,
  window: TimeWindow | null,
  zone: TimeZoneChoice,
  now: Nanoseconds,
): string {
  return [queryPart(state.query), rangePart(state, window, zone, now), "Logsieve"].join(" · ");
}

function queryPart(query: string): string {
  const text = visibleText(query.trim());
  if (text === "") return "All logs";
  return `"${text.length > LONGEST_QUERY ? `${text.slice(0, LONGEST_QUERY).trimEnd()}…` : text}"`;
}

function rangePart(
  state: SearchState,
  window: TimeWindow | null,
  zone: TimeZoneChoice,
  now: Nanoseconds,
): string {
  if (state.tail) return "live";
  const relative = describeRelative(state);
  if (relative !== null) return relative.replace("Past", "last").replace(/ minutes?$/, " min");
  return window === null ? "empty range" : formatWindowEdges(window.start, window.end, zone, now);
}

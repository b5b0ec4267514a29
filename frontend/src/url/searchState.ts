import type { Order } from "../api/types";
import { DEFAULT_COLUMNS } from "../columns/columns";
import { joinStats, searchParts, splitStats } from "../language/statsStage";
import { isRefreshChoice, type RefreshChoice } from "../time/refreshEvery";
import type { TimeRange } from "../time/timeExpression";
import { DEFAULT_RANGE, resolveTime } from "../time/timeExpression";
import { type ChartKind, isChartKind } from "./chartKind";
import { type ContextChoice, isContextChoice } from "./contextChoice";

/** Contents of the result area: the logs, their patterns, or numbers over them. */
export const RESULT_MODES = ["logs", "patterns", "chart"] as const;
export type ResultMode = (typeof RESULT_MODES)[number];

/** State of the search page. It is stored in the URL only. */
export interface SearchState extends TimeRange {
  /** The condition on logs, without a `| stats` stage. */
  readonly query: string;
  /** The text after `| stats`; empty without `| stats`. */
  readonly stats: string;
  /** Never "chart" without `| stats`. */
  readonly mode: ResultMode;
  /** The chosen way to draw the numbers; null for the way that suits them best. */
  readonly chart: ChartKind | null;
  readonly order: Order;
  /** Columns of the list, in the form of `writeColumns`. */
  readonly columns: string;
  /** The field whose values the chart's bars are stacked by, as a query names it; null for severities. */
  readonly by: string | null;
  /** Id of the record whose detail panel is open. */
  readonly record: string | null;
  /** Field whose value the open record shares with the records around it; null while the record itself is shown. */
  readonly context: ContextChoice | null;
  readonly explain: boolean;
  /** True while a live tail is shown instead of search results. */
  readonly tail: boolean;
  /** Interval between two automatic refreshes of a range that ends now; null for none. */
  readonly refresh: RefreshChoice | null;
  /** Id of the saved view that was opened last; null for none. The search may have changed since. */
  readonly view: string | null;
}

export const DEFAULT_STATE: SearchState = {
  query: "",
  stats: "",
  mode: "logs",
  chart: null,
  ...DEFAULT_RANGE,
  order: "desc",
  columns: DEFAULT_COLUMNS,
  by: null,
  record: null,
  context: null,
  explain: false,
  tail: false,
  refresh: null,
  view: null,
};

/**
 * Largest number of characters read from a link. Longer than any query of the API, and short enough that a hostile link
 * cannot freeze the page.
 */
const LONGEST_QUERY = 20_000;
const LONGEST_COLUMNS = 8_000;
const LONGEST_FIELD = 1_000;

/** Splits a URL's search part into text values. The first value of a repeated name is used. */
export function parseSearchText(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(values, name)) values[name] = value;
  }
  return values;
}

/**
 * Returns an address's values as they are after its query was run in the query bar: a `| stats` stage in the query becomes
 * a value of its own, and opens the chart unless the address has a mode.
 */
export function withStage(raw: Record<string, unknown>): Record<string, unknown> {
  const query = textOf(raw.query).slice(0, LONGEST_QUERY);
  if (splitStats(query).stats === null) return raw;
  return { mode: "chart", ...raw, ...searchParts(joinStats(query, textOf(raw.stats))) };
}

/**
 * Reads a state from untrusted values. Never fails: a missing or unreadable value takes its default. A range with one
 * unreadable end is replaced completely, because half of it would silently search another time.
 */
export function decodeSearchState(values: Record<string, unknown>): SearchState {
  const raw = withStage(values);
  const stats = textOf(raw.stats).slice(0, LONGEST_QUERY);
  const mode = RESULT_MODES.find((each) => each === raw.mode) ?? "logs";
  return {
    query: textOf(raw.query).slice(0, LONGEST_QUERY),
    stats,
    // A chart without a `| stats` stage would have no numbers to draw.
    mode: mode === "chart" && stats === "" ? "logs" : mode,
    chart: isChartKind(raw.chart) ? raw.chart : null,
    ...decodeRange(raw),
    order: raw.order === "asc" ? "asc" : "desc",
    columns: typeof raw.columns === "string" ? raw.columns.slice(0, LONGEST_COLUMNS) : DEFAULT_COLUMNS,
    by: textOf(raw.by).slice(0, LONGEST_FIELD) || null,
    record: textOf(raw.record) || null,
    context: isContextChoice(raw.context) ? raw.context : null,
    explain: raw.explain === true || raw.explain === "1",
    tail: raw.tail === true || raw.tail === "1",
    refresh: isRefreshChoice(raw.refresh) ? raw.refresh : null,
    view: isViewId(raw.view) ? raw.view : null,
  };
}

function decodeRange(raw: Record<string, unknown>): TimeRange {
  const from = textOf(raw.from) || DEFAULT_RANGE.from;
  const to = textOf(raw.to) || DEFAULT_RANGE.to;
  const readable = resolveTime(from, 0n) !== null && resolveTime(to, 0n) !== null;
  return readable ? { from, to } : DEFAULT_RANGE;
}

function isViewId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{12}$/.test(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Returns the URL's search part for a state, including "?". It always contains the range, so that a link shows what it
 * searches. Beside a view it contains all that a view has, because a missing parameter means the view's own value.
 */
export function encodeSearchState(state: SearchState): string {
  const pairs: [string, string][] = [];
  const isWhole = state.view !== null;
  if (isWhole || state.query !== "") pairs.push(["query", state.query]);
  if (isWhole || state.stats !== "") pairs.push(["stats", state.stats]);
  if (isWhole || state.mode !== DEFAULT_STATE.mode) pairs.push(["mode", state.mode]);
  if (state.chart !== null) pairs.push(["chart", state.chart]);
  pairs.push(["from", state.from], ["to", state.to]);
  if (isWhole || state.order !== DEFAULT_STATE.order) pairs.push(["order", state.order]);
  if (isWhole || state.columns !== DEFAULT_STATE.columns) pairs.push(["columns", state.columns]);
  if (isWhole || state.by !== null) pairs.push(["by", state.by ?? ""]);
  if (state.record !== null) pairs.push(["record", state.record]);
  if (state.context !== null) pairs.push(["context", state.context]);
  if (state.explain) pairs.push(["explain", "1"]);
  if (state.tail) pairs.push(["tail", "1"]);
  if (state.refresh !== null) pairs.push(["refresh", state.refresh]);
  if (state.view !== null) pairs.push(["view", state.view]);
  return `?${pairs.map(([name, value]) => `${name}=${encodeValue(value)}`).join("&")}`;
}

/** Percent-encodes, but leaves the characters readable that a query part may carry as they are (RFC 3986, 3.4). */
function encodeValue(value: string): string {
  return encodeURIComponent(value.toWellFormed())
    .replaceAll("%20", "+")
    .replaceAll("%3A", ":")
    .replaceAll("%2F", "/")
    .replaceAll("%2C", ",")
    .replaceAll("%7E", "~");
}

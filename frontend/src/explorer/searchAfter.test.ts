import { expect, it } from "vitest";
import { DEFAULT_STATE, type SearchState } from "../url/searchState";
import { queryAfter, searchAfter } from "./searchAfter";

const LIST: SearchState = { ...DEFAULT_STATE, query: "a", record: "01", context: "all" };
const CHART: SearchState = { ...LIST, stats: "count()", mode: "chart" };
const TAIL: SearchState = { ...LIST, tail: true };
const CLOSED = { record: null, context: null };
const COUNTED = "a | stats count()";

type Changes = Partial<SearchState>;

it.each<[string, SearchState, string, Changes, Changes]>([
  ["runs the typed text", LIST, " b ", {}, { query: "b", ...CLOSED }],
  ["keeps the record of the same query open", LIST, "a", { order: "asc" }, { order: "asc" }],
  ["closes the record for other results", LIST, "a", { mode: "patterns" }, { mode: "patterns", ...CLOSED }],
  ["prefers its own query to the typed one", LIST, "b", { query: "c" }, { query: "c", ...CLOSED }],
  ["leaves a stage without a function to the API", LIST, "a | stats", {}, { query: "a | stats", ...CLOSED }],
  [
    "replaces a stage without a function",
    LIST,
    "a | stats",
    { stats: "count()" },
    { stats: "count()", mode: "chart", ...CLOSED },
  ],
  ["opens the chart for a new stage", LIST, COUNTED, {}, { stats: "count()", mode: "chart", ...CLOSED }],
  [
    "ends a tail for a new stage",
    TAIL,
    COUNTED,
    {},
    { stats: "count()", mode: "chart", tail: false, ...CLOSED },
  ],
  ["shows logs without a stage", CHART, "a", {}, { stats: "", mode: "logs", ...CLOSED }],
  ["keeps the typed stage for another range", CHART, COUNTED, { from: "now-6h" }, { from: "now-6h" }],
  ["shows logs beside a stage", CHART, COUNTED, { mode: "logs" }, { mode: "logs", ...CLOSED }],
  ["keeps a tail for another query", TAIL, "b", {}, { query: "b", ...CLOSED }],
  ["ends a tail for a chart", TAIL, "a", { mode: "chart" }, { mode: "chart", tail: false, ...CLOSED }],
  ["ends a tail for a range that has ended", TAIL, "a", { to: "now-1m" }, { to: "now-1m", tail: false }],
  ["keeps a tail for another range up to now", TAIL, "a", { from: "now-6h", to: "now" }, { from: "now-6h" }],
  ["starts a tail of the typed text", LIST, "b", { tail: true }, { tail: true, query: "b", ...CLOSED }],
  ["stops a tail", TAIL, "a", { tail: false }, { tail: false }],
])("a run %s", (_, state, typed, changes, changed) => {
  expect({ ...state, ...searchAfter(state, typed, changes) }).toEqual({ ...state, ...changed });
});

it.each<[string, SearchState, string, Changes]>([
  ["keeps what is shown, and the open record", { ...LIST, mode: "patterns" }, "a", {}],
  ["keeps a tail", TAIL, "a", {}],
  ["keeps the stage of the chart", CHART, COUNTED, {}],
  ["opens the chart for a typed stage", TAIL, COUNTED, { stats: "count()", mode: "chart", tail: false }],
  ["shows logs if the stage was deleted", CHART, "a", { stats: "", mode: "logs" }],
])("a control that changes the query %s", (_, state, typed, changed) => {
  expect({ ...state, ...queryAfter(state, typed, "b") }).toEqual({ ...state, query: "b", ...changed });
});

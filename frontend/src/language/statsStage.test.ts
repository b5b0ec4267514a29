import { expect, it } from "vitest";
import { joinStats, searchParts, splitStats } from "./statsStage";

it.each([
  ["error | stats count() by service", "error", "count() by service"],
  [
    "| stats count(), p95(latency_ms) by time(5m) | limit 5",
    "",
    "count(), p95(latency_ms) by time(5m) | limit 5",
  ],
  ['"a | stats b" |stats count()', '"a | stats b"', "count()"],
  ["(a | stats b)", "(a | stats b)", null],
  ["error|stats count()", "error|stats count()", null],
  ["a | statsd", "a | statsd", null],
  ["field:| stats", "field:| stats", null],
  ["a | stats", "a", ""],
  ["  a  ", "a", null],
  ["a |\u00a0stats count()", "a |\u00a0stats count()", null],
  ["\u00a0 | stats count()", "\u00a0", "count()"],
])("splits %j", (text, query, stats) => {
  expect(splitStats(text)).toEqual({ query, stats });
});

it("joins what it splits", () => {
  expect(joinStats("error", "count()")).toBe("error | stats count()");
  expect(joinStats("", "count()")).toBe("| stats count()");
  expect(joinStats("error", "")).toBe("error");
});

it("runs a stage without a function as a part of the query, which the API refuses with a reason", () => {
  expect(searchParts(" error | stats ")).toEqual({ query: "error | stats", stats: "" });
  expect(searchParts("error | stats count()")).toEqual({ query: "error", stats: "count()" });
  expect(searchParts(" error ")).toEqual({ query: "error", stats: "" });
});

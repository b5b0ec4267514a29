import { expect, it } from "vitest";
import { joinStats, splitStats } from "./statsStage";

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
])("splits %j", (text, query, stats) => {
  expect(splitStats(text)).toEqual({ query, stats });
});

it("joins what it splits", () => {
  expect(joinStats("error", "count()")).toBe("error | stats count()");
  expect(joinStats("", "count()")).toBe("| stats count()");
  expect(joinStats("error", "")).toBe("error");
});

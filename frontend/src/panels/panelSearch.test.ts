import { expect, it } from "vitest";
import { DEFAULT_STATE } from "../url/searchState";
import { freeName, isSamePanel, panelName, panelOfCounts } from "./panelSearch";

const WINDOW = { start: 0n, end: 3_600_000_000_000n };

it("names a panel by its numbers and its query", () => {
  expect(panelName({ query: "", stats: "count() by service | limit 20" })).toBe("count() by service");
  expect(panelName({ query: "a\n b", stats: "count()" })).toBe("count(): a b");
  expect(panelName({ query: "a".repeat(200), stats: "count()" })).toHaveLength(100);
  expect(panelName({ query: `${"a".repeat(90)}😀`, stats: "count()" })).toBe(`count(): ${"a".repeat(90)}`);
});

it("avoids names that are taken", () => {
  expect(freeName("Errors", ["Other"])).toBe("Errors");
  expect(freeName("Errors", ["Errors", "Errors 2"])).toBe("Errors 3");
  expect(freeName("a".repeat(100), ["a".repeat(100)])).toBe(`${"a".repeat(98)} 2`);
  const taken = `${"a".repeat(97)}😀`;
  expect(freeName(taken, [taken])).toBe(`${"a".repeat(97)} 2`);
});

it("counts by the histogram's field, or by severity", () => {
  expect(panelOfCounts(DEFAULT_STATE, WINDOW).stats).toBe("count() by severity, time(1m) | limit 5");
  expect(panelOfCounts({ ...DEFAULT_STATE, by: "user id" }, WINDOW).stats).toBe(
    'count() by "user id", time(1m) | limit 5',
  );
});

it("shows the same panel in another range, and another panel as another kind of chart", () => {
  const state = { ...DEFAULT_STATE, query: "a", stats: "count()", chart: "table" as const };
  expect(isSamePanel(state, { ...state, from: "now-5m" })).toBe(true);
  expect(isSamePanel(state, { ...state, chart: null })).toBe(false);
  expect(isSamePanel(state, { ...state, stats: "count() by time(1m)" })).toBe(false);
});

import { describe, expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { clickedWindow, selectedWindow, stackedCounts, toChartData, withoutSeverities } from "./chartData";

const SECOND = 1_000_000_000n;
const START = parseRfc3339("2026-11-21T01:00:00Z") ?? 0n;
const WINDOW = { start: START + SECOND / 2n, end: START + 3n * SECOND };
const DATA = toChartData(
  {
    interval_ns: "1000000000",
    buckets: [
      { start: "2026-11-21T01:00:00Z", total: 5, by_severity: { info: 3, error: 2 } },
      { start: "2026-11-21T01:00:01Z", total: 0, by_severity: {} },
      { start: "2026-11-21T01:00:02Z", total: 4, by_severity: { fatal: 1, info: 3, warn: 0 } },
    ],
  },
  WINDOW,
);

describe("toChartData", () => {
  it("sums per severity, most severe first, and leaves out what does not occur", () => {
    expect(DATA.total).toBe(9);
    expect(DATA.totals).toEqual([
      ["fatal", 1],
      ["error", 2],
      ["info", 6],
    ]);
    expect(DATA.buckets[2]?.counts).toEqual([
      ["fatal", 1],
      ["info", 3],
    ]);
  });

  it("refuses times it cannot read", () => {
    const answer = { interval_ns: 1, buckets: [{ start: "noon", total: 0, by_severity: {} }] };
    expect(() => toChartData(answer, WINDOW)).toThrow("noon");
  });
});

it("stacks the most severe at the bottom", () => {
  expect(stackedCounts(DATA, "fatal")).toEqual([0, 0, 1]);
  expect(stackedCounts(DATA, "error")).toEqual([2, 0, 1]);
  expect(stackedCounts(DATA, "info")).toEqual([5, 0, 4]);
});

describe("selectedWindow", () => {
  it("widens a span to whole buckets but not past the window", () => {
    expect(selectedWindow(DATA, START + SECOND / 3n, START + (3n * SECOND) / 2n)).toEqual({
      start: WINDOW.start,
      end: START + 2n * SECOND,
    });
    expect(selectedWindow(DATA, START + 2n * SECOND + 1n, START + 2n * SECOND + 2n)).toEqual({
      start: START + 2n * SECOND,
      end: WINDOW.end,
    });
  });

  it("finds nothing outside the buckets", () => {
    expect(selectedWindow(DATA, START + 10n * SECOND, START + 11n * SECOND)).toBeNull();
  });
});

describe("withoutSeverities", () => {
  it("leaves the counts of the others, stacked from the axis", () => {
    const shown = withoutSeverities(DATA, new Set(["fatal", "error"]));
    expect(shown.totals).toEqual([["info", 6]]);
    expect(shown.total).toBe(6);
    expect(shown.buckets.map(({ total }) => total)).toEqual([3, 0, 3]);
    expect(stackedCounts(shown, "info")).toEqual([3, 0, 3]);
  });

  it("is the same data where nothing of it is hidden", () => {
    expect(withoutSeverities(DATA, new Set(["trace"]))).toBe(DATA);
  });
});

it("finds the range of a clicked bar, and none where there is no bar", () => {
  expect(clickedWindow(DATA, 0)).toEqual({ start: WINDOW.start, end: START + SECOND });
  expect(clickedWindow(DATA, 1)).toBeNull();
  expect(clickedWindow(DATA, -1)).toBeNull();
});

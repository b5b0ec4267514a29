import { describe, expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import type { ChartData } from "./chartData";
import { clickedWindow, selectedWindow, stackedCounts, toChartData, withoutSeries } from "./chartData";

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
    by: null,
    series: [],
  },
  WINDOW,
);
const totals = ({ series }: ChartData) => series.map(({ label, total }) => [label, total]);
const counts = (data: ChartData, bucket: number) =>
  data.buckets[bucket]?.counts.map(([{ label }, count]) => [label, count]);
const stacked = (data: ChartData) => data.series.map((series) => stackedCounts(data, series));

describe("toChartData", () => {
  it("sums per severity, most severe first, and leaves out what does not occur", () => {
    expect(DATA.total).toBe(9);
    expect(totals(DATA)).toEqual([
      ["fatal", 1],
      ["error", 2],
      ["info", 6],
    ]);
    expect(counts(DATA, 2)).toEqual([
      ["fatal", 1],
      ["info", 3],
    ]);
  });

  it("refuses times it cannot read", () => {
    const answer = {
      interval_ns: 1,
      buckets: [{ start: "noon", total: 0, by_severity: {} }],
      by: null,
      series: [],
    };
    expect(() => toChartData(answer, WINDOW)).toThrow("noon");
  });
});

it("stacks the most severe at the bottom", () => {
  expect(stacked(DATA)).toEqual([
    [0, 0, 1],
    [2, 0, 1],
    [5, 0, 4],
  ]);
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

describe("withoutSeries", () => {
  it("leaves the counts of the others, stacked from the axis", () => {
    const shown = withoutSeries(DATA, new Set(["fatal", "error"]));
    expect(totals(shown)).toEqual([["info", 6]]);
    expect(shown.total).toBe(6);
    expect(shown.buckets.map(({ total }) => total)).toEqual([3, 0, 3]);
    expect(stacked(shown)).toEqual([[3, 0, 3]]);
  });

  it("is the same data where nothing of it is hidden", () => {
    expect(withoutSeries(DATA, new Set(["trace"]))).toBe(DATA);
  });
});

it("finds the range of a clicked bar, and none where there is no bar", () => {
  expect(clickedWindow(DATA, 0)).toEqual({ start: WINDOW.start, end: START + SECOND });
  expect(clickedWindow(DATA, 1)).toBeNull();
  expect(clickedWindow(DATA, -1)).toBeNull();
});

describe("counts by a field", () => {
  const buckets = [1, 6].map((total, index) => ({
    start: `2026-11-21T01:00:0${index}Z`,
    total,
    by_severity: {},
  }));
  const data = toChartData(
    {
      interval_ns: 1_000_000_000,
      buckets,
      by: "shop",
      series: [
        { kind: "value", value: "north", total: 3, counts: [1, 2] },
        { kind: "value", value: "", total: 2, counts: [0, 2] },
        { kind: "other", value: null, total: 1, counts: [0, 1] },
        { kind: "absent", value: null, total: 1, counts: [0, 1] },
      ],
    },
    WINDOW,
  );

  it("has the most frequent values first, then other values, then logs without the field", () => {
    expect(totals(data)).toEqual([
      ["north", 3],
      ["(empty)", 2],
      ["other values", 1],
      ["no shop", 1],
    ]);
    expect(counts(data, 0)).toEqual([["north", 1]]);
    expect(stacked(data).at(-1)).toEqual([1, 6]);
  });

  it("keeps the colours of the others where one is hidden", () => {
    const shown = withoutSeries(data, new Set(["shop:north"]));
    expect(shown.series.map(({ token }) => token)).toEqual([
      "--series-2",
      "--series-other",
      "--series-absent",
    ]);
    expect(shown.total).toBe(4);
  });
});

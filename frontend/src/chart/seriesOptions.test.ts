import type uPlot from "uplot";
import { expect, it, vi } from "vitest";
import { parseRfc3339, toMilliseconds } from "../time/nanoseconds";
import type { SeriesData } from "./seriesData";
import { alignedSeries, seriesOptions } from "./seriesOptions";

vi.mock("uplot", () => ({ default: { paths: {} } }));

const START = parseRfc3339("2026-11-21T10:00:00Z") ?? 0n;
const MINUTE = 60_000_000_000n;
const startMs = toMilliseconds(START);
const WINDOW = { start: START, end: START + 15n * MINUTE };
const DATA: SeriesData = {
  starts: [0, 5, 10].map((minutes) => startMs + minutes * 60_000),
  series: [{ id: "a", label: "a", token: "--series-1", kind: "group", group: ["a"], values: [1, 2, 3] }],
  left: 0,
};

function options(isStacked: boolean, hover: (index: number | null) => void): uPlot.Options {
  const layout = { width: 900, height: 200, isStacked, threshold: null };
  return seriesOptions(DATA, WINDOW, layout, "utc", () => "black", { hover, select: () => {} });
}

/** Moves the pointer over a chart of one pixel a second, whose nearest start has the index `idx`. */
function point(chart: uPlot.Options, left: number, idx: number | null): void {
  const pointed = { cursor: { left, idx }, posToVal: (position: number) => startMs + position * 1000 };
  chart.hooks?.setCursor?.[0]?.(pointed as unknown as uPlot);
}

it.each<[string, number, number | null, number | null]>([
  ["the left half of the first bar", 60, 0, 0],
  ["the right half of the first bar", 290, 1, 0],
  ["the first pixel of the second bar", 300, 1, 1],
  ["the right half of the last bar", 890, 2, 2],
  ["no bar, outside the chart", -10, null, null],
])("names the bar under the pointer: %s", (_, left, nearest, expected) => {
  const hover = vi.fn();
  point(options(true, hover), left, nearest);
  expect(hover).toHaveBeenCalledExactlyOnceWith(expected);
});

it("names the nearest point of a line", () => {
  const hover = vi.fn();
  point(options(false, hover), 290, 1);
  expect(hover).toHaveBeenCalledExactlyOnceWith(1);
});

it("marks points of lines only", () => {
  expect(options(true, vi.fn()).cursor?.points).toEqual({ show: false });
  expect(options(false, vi.fn()).cursor?.points).toBeUndefined();
});

it("draws the longest stacked bars first, above and below 0, on an axis that has all of them", () => {
  const [first] = DATA.series;
  if (first === undefined) throw new Error("there is no series");
  const series = [[-5], [10], [-1]].map((values) => ({ ...first, values }));
  const [, ...rows] = alignedSeries({ ...DATA, series }, true);
  expect(rows).toEqual([[-6], [10], [-5]]);

  const range = options(true, vi.fn()).scales?.y?.range;
  if (typeof range !== "function") throw new Error("the axis has no range of its own");
  const [low, high] = range({} as uPlot, -6, 10, "y");
  expect(low).toBeLessThan(-6);
  expect(high).toBeGreaterThan(10);
});

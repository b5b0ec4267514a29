import type uPlot from "uplot";
import { expect, it, vi } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { toChartData } from "./chartData";
import { alignedData, chartOptions } from "./chartOptions";

vi.mock("uplot", () => ({ default: { paths: {} } }));

const MICROSECOND = 1_000n;
const START = parseRfc3339("2026-11-21T01:00:00Z") ?? 0n;
/** Five buckets of 200 microseconds each. */
const DATA = toChartData(
  {
    interval_ns: 200_000,
    buckets: ["0000", "0002", "0004", "0006", "0008"].map((fraction) => ({
      start: `2026-11-21T01:00:00.${fraction}Z`,
      total: 1,
      by_severity: { info: 1 },
    })),
    by: null,
    series: [],
  },
  { start: START, end: START + 1_000n * MICROSECOND },
);

it("places each of several buckets within a millisecond", () => {
  const [starts] = alignedData(DATA);
  expect(new Set(starts).size).toBe(5);
});

it("finds the bucket under the pointer in a range of a millisecond", () => {
  const hover = vi.fn();
  const style = { height: 104, scale: "linear" } as const;
  const hooks = { hover, select: () => {}, click: () => {} };
  const options = chartOptions(DATA, 1_000, style, "utc", () => "black", hooks);
  const chart = {
    cursor: { left: 500 },
    over: { offsetLeft: 0 },
    posToVal: (position: number) => position / 1_000,
    valToPos: (value: number) => Math.round(value * 1_000),
  };
  options.hooks?.setCursor?.[0]?.(chart as unknown as uPlot);
  expect(hover).toHaveBeenCalledExactlyOnceWith({ index: 2, left: 400, width: 200 });
});

it("selects the nanoseconds that were dragged over", () => {
  const select = vi.fn();
  const start = START + 7_654_321n;
  const data = { ...DATA, window: { start, end: start + 500n } };
  const style = { height: 104, scale: "linear" } as const;
  const hooks = { hover: () => {}, select, click: () => {} };
  const options = chartOptions(data, 1_000, style, "utc", () => "black", hooks);
  const chart = {
    select: { left: 200, width: 400 },
    setSelect: () => {},
    // The origin of the axis is the last millisecond before the range.
    posToVal: (position: number) => 0.654_321 + (0.000_5 * position) / 1_000,
  };
  options.hooks?.setSelect?.[0]?.(chart as unknown as uPlot);
  expect(select).toHaveBeenCalledExactlyOnceWith(start + 100n, start + 300n);
});

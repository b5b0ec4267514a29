import uPlot from "uplot";
import { formatCompact } from "../format/quantity";
import type { Severity } from "../severity/severity";
import type { TimeZoneChoice } from "../time/format";
import { toMilliseconds } from "../time/nanoseconds";
import type { ChartData } from "./chartData";
import { stackedCounts } from "./chartData";
import { tickLabel } from "./tickLabel";

export interface ChartHooks {
  /** The bucket under the pointer and its edges in CSS pixels from the left of the chart; null outside. */
  readonly hover: (hovered: HoveredBucket | null) => void;
  /** A dragged span in milliseconds. */
  readonly select: (fromMs: number, toMs: number) => void;
  readonly zoomOut: () => void;
}

export interface HoveredBucket {
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export type ReadColour = (token: string) => string;

export const CHART_HEIGHT = 104;
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();
const AXIS_FONT = "11px 'Inter Variable', system-ui, sans-serif";

/** The counts as uPlot takes them: bucket starts in milliseconds, then one row of bar tops per severity. */
export function alignedData(data: ChartData): uPlot.AlignedData {
  const starts = data.buckets.map(({ start }) => toMilliseconds(start));
  return [starts, ...drawOrder(data).map((severity) => stackedCounts(data, severity))];
}

/** uPlot cannot stack: the tallest bars are drawn first and the more severe ones over them. */
function drawOrder(data: ChartData): Severity[] {
  return data.totals.map(([severity]) => severity).toReversed();
}

export function chartOptions(
  data: ChartData,
  width: number,
  zone: TimeZoneChoice,
  colour: ReadColour,
  hooks: ChartHooks,
): uPlot.Options {
  const window = { start: toMilliseconds(data.window.start), end: toMilliseconds(data.window.end) };
  const intervalMs = Number(data.interval) / 1e6;
  const bucketAt = (ms: number) => {
    const first = data.buckets[0];
    if (first === undefined) return -1;
    const index = Math.floor((ms - toMilliseconds(first.start)) / intervalMs);
    return index >= 0 && index < data.buckets.length ? index : -1;
  };
  const axis = {
    stroke: colour("--text-faint"),
    font: AXIS_FONT,
    ticks: { show: false },
    grid: { stroke: colour("--line"), width: 1 },
  };
  return {
    width,
    height: CHART_HEIGHT,
    ms: 1,
    padding: [6, 18, 0, 0],
    legend: { show: false },
    tzDate: (ms) => (zone === "utc" ? uPlot.tzDate(new Date(ms), "Etc/UTC") : new Date(ms)),
    scales: {
      x: { range: () => [window.start, window.end] },
      y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.05)] },
    },
    axes: [
      {
        ...axis,
        size: 22,
        gap: 4,
        space: 90,
        grid: { show: false },
        values: (_chart, ticks, _axis, _space, step) => ticks.map((ms) => tickLabel(ms, step, zone)),
      },
      {
        ...axis,
        size: 46,
        gap: 8,
        space: 26,
        incrs: WHOLE_STEPS,
        values: (_chart, ticks) =>
          ticks.map((count) => (Number.isInteger(count) ? formatCompact(count) : "")),
      },
    ],
    series: [
      {},
      ...drawOrder(data).map((severity) => ({
        fill: colour(`--severity-${severity}`),
        width: 0,
        points: { show: false },
        ...barPaths(),
      })),
    ],
    cursor: {
      x: false,
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: {
        dblclick: () => () => {
          hooks.zoomOut();
          return null;
        },
      },
    },
    hooks: {
      setCursor: [
        (chart) => {
          const { left } = chart.cursor;
          const index = left === undefined || left < 0 ? -1 : bucketAt(chart.posToVal(left, "x"));
          const bucket = data.buckets[index];
          if (bucket === undefined) return hooks.hover(null);
          const edge = (ms: number) =>
            chart.over.offsetLeft + chart.valToPos(Math.min(Math.max(ms, window.start), window.end), "x");
          const from = edge(toMilliseconds(bucket.start));
          hooks.hover({ index, left: from, width: edge(toMilliseconds(bucket.start) + intervalMs) - from });
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width: selected } = chart.select;
          if (selected < 4) return;
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          hooks.select(chart.posToVal(left, "x"), chart.posToVal(left + selected, "x"));
        },
      ],
    },
  };
}

/** uPlot's types allow builds without bars. */
function barPaths(): Pick<uPlot.Series, "paths"> {
  const paths = uPlot.paths.bars?.({ size: [1, 60], align: 1, gap: 1 });
  return paths === undefined ? {} : { paths };
}

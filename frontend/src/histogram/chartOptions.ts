import type uPlot from "uplot";
import { formatCompact } from "../format/quantity";
import { axisStyle, bars, clockOf, DRAG, type ReadColour, selectHook } from "../plot/base";
import type { TimeZoneChoice } from "../time/format";
import type { Nanoseconds } from "../time/nanoseconds";
import type { ChartData } from "./chartData";
import { stackedCounts } from "./chartData";
import type { ChartSeries } from "./chartSeries";
import { type CountScale, LOG_START, linearTicks, logTicks } from "./countTicks";
import { tickLabel } from "./tickLabel";
import { timeAxis } from "./timeAxis";

export interface ChartHooks {
  /** The bucket under the pointer and its edges in CSS pixels from the left of the chart; null outside. */
  readonly hover: (hovered: HoveredBucket | null) => void;
  /** A dragged span of time. */
  readonly select: (from: Nanoseconds, to: Nanoseconds) => void;
  /** A click without a drag on the bucket with this index. */
  readonly click: (index: number) => void;
}

/** Height of the chart, and scale of its axis of counts. */
export interface ChartStyle {
  /** CSS pixels of the chart with its time axis. */
  readonly height: number;
  readonly scale: CountScale;
}

export interface HoveredBucket {
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export const CHART_HEIGHTS = { normal: 104, tall: 240 } as const;
const TIME_AXIS_HEIGHT = 22;
/** Smallest distance between two labels of the axis of counts, in CSS pixels. */
const LABEL_DISTANCE = 18;

/** The counts as uPlot takes them: places of bucket starts on the time axis, then one row of bar tops per series. */
export function alignedData(data: ChartData): uPlot.AlignedData {
  const { placeOf } = timeAxis(data.window);
  const starts = data.buckets.map(({ start }) => placeOf(start));
  return [starts, ...drawOrder(data).map((series) => stackedCounts(data, series).map(barTop))];
}

/** A logarithmic axis cannot place zero; on a linear one a missing bar looks the same. */
function barTop(count: number): number | null {
  return count === 0 ? null : count;
}

/** uPlot cannot stack: the tallest bars are drawn first and those that stand nearer to the axis over them. */
function drawOrder(data: ChartData): ChartSeries[] {
  return data.series.toReversed();
}

export function chartOptions(
  data: ChartData,
  width: number,
  style: ChartStyle,
  zone: TimeZoneChoice,
  colour: ReadColour,
  hooks: ChartHooks,
): uPlot.Options {
  const { originMs, placeOf, timeAt } = timeAxis(data.window);
  const window = { start: placeOf(data.window.start), end: placeOf(data.window.end) };
  const intervalMs = Number(data.interval) / 1e6;
  const bucketAt = (place: number) => {
    const first = data.buckets[0];
    if (first === undefined) return -1;
    const index = Math.floor((place - placeOf(first.start)) / intervalMs);
    return index >= 0 && index < data.buckets.length ? index : -1;
  };
  /** True between the end of a drag and the click event that the browser sends after it. */
  let isDragged = false;
  const axis = axisStyle("--text-faint", colour);
  return {
    width,
    height: style.height,
    ms: 1,
    padding: [6, 18, 0, 0],
    legend: { show: false },
    tzDate: clockOf(zone, originMs),
    scales: {
      x: { range: () => [window.start, window.end] },
      y: countScale(style.scale),
    },
    axes: [
      {
        ...axis,
        size: TIME_AXIS_HEIGHT,
        gap: 4,
        space: 90,
        grid: { show: false },
        // Ticks are at whole milliseconds, so the first one may be before a range that begins between two.
        values: (_chart, ticks, _axis, _space, step) =>
          ticks.map((place) => (place < window.start ? "" : tickLabel(originMs + place, step, zone))),
      },
      {
        ...axis,
        size: 46,
        gap: 8,
        splits: (_chart, _axis, _low, high) => {
          const maxTicks = Math.floor((style.height - TIME_AXIS_HEIGHT) / LABEL_DISTANCE);
          return style.scale === "log" ? logTicks(high, maxTicks) : linearTicks(high, maxTicks);
        },
        values: (_chart, ticks) => ticks.map(formatCompact),
      },
    ],
    series: [{}, ...drawOrder(data).map(({ token }) => bars(1, colour(token)))],
    cursor: {
      x: false,
      y: false,
      points: { show: false },
      drag: {
        ...DRAG,
        // Small movements of the pointer still count as a click.
        click: (_chart, event) => {
          if (isDragged) event.stopPropagation();
          isDragged = false;
        },
      },
      bind: {
        // uPlot would reset its scales to the data, which is the whole range already.
        dblclick: () => () => null,
      },
    },
    hooks: {
      init: [
        (chart) => {
          chart.over.addEventListener("click", ({ offsetX }) =>
            hooks.click(bucketAt(chart.posToVal(offsetX, "x"))),
          );
        },
      ],
      setCursor: [
        (chart) => {
          const { left } = chart.cursor;
          const index = left === undefined || left < 0 ? -1 : bucketAt(chart.posToVal(left, "x"));
          const bucket = data.buckets[index];
          if (bucket === undefined) return hooks.hover(null);
          const edge = (place: number) =>
            chart.over.offsetLeft + chart.valToPos(Math.min(Math.max(place, window.start), window.end), "x");
          const start = placeOf(bucket.start);
          const from = edge(start);
          hooks.hover({ index, left: from, width: edge(start + intervalMs) - from });
        },
      ],
      setSelect: [
        selectHook((from, to) => {
          isDragged = true;
          hooks.select(timeAt(from), timeAt(to));
        }),
      ],
    },
  };
}

/** A logarithmic axis has no zero: it begins below one log, and empty buckets have no bar. */
function countScale(scale: CountScale): uPlot.Scale {
  if (scale === "linear") return { range: (_chart, _low, high) => [0, Math.max(1, high * 1.05)] };
  return { distr: 3, log: 10, range: (_chart, _low, high) => [LOG_START, Math.max(2, high * 1.3)] };
}

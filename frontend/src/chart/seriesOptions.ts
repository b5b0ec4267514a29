import uPlot from "uplot";
import { tickLabel } from "../histogram/tickLabel";
import type { TimeZoneChoice } from "../time/format";
import { toMilliseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { shortText } from "./cellText";
import type { SeriesData } from "./seriesData";
import { stacked } from "./seriesData";

export interface SeriesHooks {
  /** Index of the bucket under the pointer; null outside. */
  readonly hover: (index: number | null) => void;
  /** Span that the user selected by dragging, in milliseconds since the Unix epoch. */
  readonly select: (fromMs: number, toMs: number) => void;
}

export interface SeriesLayout {
  readonly width: number;
  readonly height: number;
  readonly isStacked: boolean;
  /** Number at which a dashed line is drawn; null for none. */
  readonly threshold: number | null;
}

const AXIS_FONT = "11px 'Inter Variable', system-ui, sans-serif";
/** Smallest movement of a pressed pointer that counts as a drag, in CSS pixels. */
const DRAG_DISTANCE = 4;

/**
 * Returns the numbers in the form that uPlot takes. The tallest stacked bars come first, because uPlot draws later
 * series over earlier ones.
 */
export function alignedSeries({ starts, series }: SeriesData, isStacked: boolean): uPlot.AlignedData {
  const rows = isStacked ? stacked(series).toReversed() : series.map(({ values }) => [...values]);
  return [[...starts], ...rows];
}

export function seriesOptions(
  data: SeriesData,
  window: TimeWindow,
  layout: SeriesLayout,
  zone: TimeZoneChoice,
  colour: (token: string) => string,
  hooks: SeriesHooks,
): uPlot.Options {
  const range: [number, number] = [toMilliseconds(window.start), toMilliseconds(window.end)];
  const axis = {
    stroke: colour("--text-muted"),
    font: AXIS_FONT,
    ticks: { show: false },
    grid: { stroke: colour("--line"), width: 1 },
  };
  const drawn = layout.isStacked ? data.series.toReversed() : data.series;
  return {
    width: layout.width,
    height: layout.height,
    ms: 1,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    tzDate: (ms) => (zone === "utc" ? uPlot.tzDate(new Date(ms), "Etc/UTC") : new Date(ms)),
    scales: {
      x: { range: () => range },
      y: { range: (_chart, low, high) => valueRange(low, high, layout.threshold) },
    },
    axes: [
      {
        ...axis,
        size: 26,
        gap: 4,
        space: 90,
        grid: { show: false },
        values: (_chart, ticks, _axis, _space, step) => ticks.map((ms) => tickLabel(ms, step, zone)),
      },
      { ...axis, size: 56, gap: 8, space: 44, values: (_chart, ticks) => ticks.map(shortText) },
    ],
    series: [
      {},
      ...drawn.map(({ token }) =>
        layout.isStacked
          ? { fill: colour(token), width: 0, points: { show: false }, ...barPaths() }
          : { stroke: colour(token), width: 1.6, points: { size: 5, fill: colour(token) }, spanGaps: false },
      ),
    ],
    cursor: {
      y: false,
      // uPlot would draw a point at the bar whose start is nearest, which may be the next one.
      ...(layout.isStacked ? { points: { show: false } } : {}),
      drag: { x: true, y: false, setScale: false, dist: DRAG_DISTANCE },
    },
    hooks: {
      draw: [
        (chart) => layout.threshold !== null && drawThreshold(chart, layout.threshold, colour("--danger")),
      ],
      setCursor: [
        (chart) => hooks.hover(layout.isStacked ? barUnder(chart, data.starts) : (chart.cursor.idx ?? null)),
      ],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < DRAG_DISTANCE) return;
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          hooks.select(chart.posToVal(left, "x"), chart.posToVal(left + width, "x"));
        },
      ],
    },
  };
}

/**
 * Returns the index of the bar under the pointer; null outside the chart. Bars begin at the start of their bucket, so
 * uPlot's own index, that of the nearest start, is the next bar's over the right half of a bar.
 */
function barUnder({ cursor, posToVal }: uPlot, starts: readonly number[]): number | null {
  const { left = -1 } = cursor;
  if (left < 0) return null;
  const pointed = posToVal(left, "x");
  const index = starts.findLastIndex((start) => start <= pointed);
  return index < 0 ? null : index;
}

function drawThreshold({ ctx, bbox, valToPos }: uPlot, threshold: number, colour: string): void {
  const y = Math.round(valToPos(threshold, "y", true));
  ctx.save();
  ctx.beginPath();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** The axis of values includes 0, so that heights can be compared, and the threshold. */
function valueRange(low: number | null, high: number | null, threshold: number | null): [number, number] {
  const bottom = Math.min(0, low ?? 0, threshold ?? 0);
  const top = Math.max(0, high ?? 0, threshold ?? 0);
  const room = (top - bottom || 1) * 0.05;
  return [bottom === 0 ? 0 : bottom - room, top + room];
}

/** uPlot's types have `bars` as optional, because some builds of uPlot lack it. */
function barPaths(): Pick<uPlot.Series, "paths"> {
  const paths = uPlot.paths.bars?.({ size: [0.9, 60], align: 1, gap: 1 });
  return paths === undefined ? {} : { paths };
}

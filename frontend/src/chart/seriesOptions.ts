import type uPlot from "uplot";
import { tickLabel } from "../histogram/tickLabel";
import { axisStyle, bars, clockOf, DRAG, type ReadColour, selectHook } from "../plot/base";
import type { PlotSize } from "../plot/usePlot";
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

export interface SeriesLayout extends PlotSize {
  readonly isStacked: boolean;
  /** Number at which a dashed line is drawn; null for none. */
  readonly threshold: number | null;
}

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
  colour: ReadColour,
  hooks: SeriesHooks,
): uPlot.Options {
  const range: [number, number] = [toMilliseconds(window.start), toMilliseconds(window.end)];
  const axis = axisStyle("--text-muted", colour);
  const drawn = layout.isStacked ? data.series.toReversed() : data.series;
  return {
    width: layout.width,
    height: layout.height,
    ms: 1,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    tzDate: clockOf(zone, 0),
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
          ? bars(0.9, colour(token))
          : { stroke: colour(token), width: 1.6, points: { size: 5, fill: colour(token) }, spanGaps: false },
      ),
    ],
    cursor: {
      y: false,
      // uPlot would draw a point at the bar whose start is nearest, which may be the next one.
      ...(layout.isStacked ? { points: { show: false } } : {}),
      drag: DRAG,
    },
    hooks: {
      draw: [
        (chart) => layout.threshold !== null && drawThreshold(chart, layout.threshold, colour("--danger")),
      ],
      setCursor: [
        (chart) => hooks.hover(layout.isStacked ? barUnder(chart, data.starts) : (chart.cursor.idx ?? null)),
      ],
      setSelect: [selectHook(hooks.select)],
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

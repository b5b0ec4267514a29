import uPlot from "uplot";
import type { TimeZoneChoice } from "../time/format";

export type ReadColour = (token: string) => string;

/** Smallest movement of a pressed pointer that counts as a drag, in CSS pixels. */
const DRAG_DISTANCE = 4;

/** Selection of a span of time by dragging. It leaves the scales as they are. */
export const DRAG = { x: true, y: false, setScale: false, dist: DRAG_DISTANCE };

/** Returns the style of an axis whose labels have the colour of this token. */
export function axisStyle(token: string, colour: ReadColour) {
  return {
    stroke: colour(token),
    font: "11px 'Inter Variable', system-ui, sans-serif",
    ticks: { show: false },
    grid: { stroke: colour("--line"), width: 1 },
  };
}

/** Returns the function that gives places on the time axis, in milliseconds from its origin, the clock of the zone. */
export function clockOf(zone: TimeZoneChoice, originMs: number): (place: number) => Date {
  return (place) => {
    const moment = new Date(originMs + place);
    return zone === "utc" ? uPlot.tzDate(moment, "Etc/UTC") : moment;
  };
}

/** Returns the hook that calls back with the ends of a dragged span on the time axis, and removes its mark. */
export function selectHook(onSelect: (from: number, to: number) => void): (chart: uPlot) => void {
  return (chart) => {
    const { left, width } = chart.select;
    if (width < DRAG_DISTANCE) return;
    chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    onSelect(chart.posToVal(left, "x"), chart.posToVal(left + width, "x"));
  };
}

/** Returns how bars are drawn that fill this share of their bucket. */
export function bars(share: number, colour: string): uPlot.Series {
  // uPlot's types have `bars` as optional, because some builds of uPlot lack it.
  const paths = uPlot.paths.bars?.({ size: [share, 60], align: 1, gap: 1 });
  return { fill: colour, width: 0, points: { show: false }, ...(paths && { paths }) };
}

import type { Log } from "../api/types";
import { boundedWidth, type Columns, MESSAGE } from "./columns";
import { columnText } from "./columnText";

/** A column whose edge is being dragged, with its width in CSS pixels. */
export interface DraggedColumn {
  readonly field: string;
  readonly width: number;
}

/** Track of a message without a width of its own. */
const REST = "minmax(0, 1fr)";
/** Smallest width of such a message, in CSS pixels. A narrower list scrolls sideways. */
const NARROWEST_MESSAGE = 240;
const GAP = 14;
/** Padding of a row at its left and right, in CSS pixels. */
const PADDING = 28;

const NARROWEST = 7;
const WIDEST = 24;
/** Largest number of rows whose values are measured, which happens again whenever a page of rows arrives. */
const MAX_MEASURED = 1_000;

/**
 * Returns the CSS grid tracks of the columns, in their order. A column without a width of its own is as wide as its
 * name or the longest value of the first rows, from 7 to 24 characters. All rows have the same widths, so that messages
 * begin at the same place.
 */
export function columnTracks(columns: Columns, logs: readonly Log[]): string[] {
  const measured = logs.slice(0, MAX_MEASURED);
  return columns.map(({ field, width }) => {
    if (width !== null) return `${width}px`;
    if (field === MESSAGE) return REST;
    const longest = measured.reduce(
      (length, log) => Math.max(length, columnText(log, field).length),
      Math.max(field.length, NARROWEST),
    );
    return `${Math.min(longest, WIDEST)}ch`;
  });
}

/** Returns the tracks with the width that a column is being dragged to, without measuring the others again. */
export function withDragged(
  tracks: readonly string[],
  columns: Columns,
  dragged: DraggedColumn | null,
): readonly string[] {
  if (dragged === null) return tracks;
  return tracks.map((track, index) =>
    columns[index]?.field === dragged.field ? `${boundedWidth(dragged.width)}px` : track,
  );
}

/** Returns the style from which the head and all rows take their columns. A narrow list shows service and message only. */
export function trackStyle(tracks: readonly string[], columns: Columns): React.CSSProperties {
  const widths = tracks.map((track) => (track === REST ? `${NARROWEST_MESSAGE}px` : track));
  const narrow = columns.flatMap(({ field }) => {
    if (field === MESSAGE) return REST;
    return field === "service" ? "10ch" : [];
  });
  const style = {
    "--columns": tracks.join(" "),
    "--narrow-columns": narrow.join(" "),
    "--columns-width": `calc(${widths.join(" + ")} + ${GAP * (tracks.length + 2) + PADDING}px)`,
  };
  return style as React.CSSProperties;
}

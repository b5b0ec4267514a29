import type { Log } from "../api/types";
import type { Columns } from "./columns";
import { columnText } from "./columnText";

const NARROWEST = 7;
const WIDEST = 24;

/**
 * Returns the CSS grid tracks of the columns, in their order. A column without a width of its own is as wide as the
 * longest loaded value or its name, so that all messages begin at the same place.
 */
export function columnTracks(columns: Columns, logs: readonly Log[]): string[] {
  return columns.map(({ field, width }) => {
    if (width !== null) return `${width}px`;
    const longest = logs.reduce(
      (length, log) => Math.max(length, columnText(log, field).length),
      Math.max(field.length, NARROWEST),
    );
    return `${Math.min(longest, WIDEST)}ch`;
  });
}

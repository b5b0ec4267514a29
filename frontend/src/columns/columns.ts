/** A field that the list of logs shows in a column of its own, beside time, level and message. */
export interface Column {
  /** Name of the field, written as in queries, such as `service` or `user.id`. */
  readonly field: string;
  /** Width in CSS pixels; null for a column as wide as its longest loaded value. */
  readonly width: number | null;
}

export type Columns = readonly Column[];

export const DEFAULT_COLUMNS = "service";

const MAX_COLUMNS = 20;
const LONGEST_FIELD = 256;
const NARROWEST = 40;
const WIDEST = 1200;

/**
 * Reads columns from their form in the URL: fields separated by commas, each with `~` and its width if one was set.
 * Skips unreadable columns and a field's second column.
 */
export function readColumns(text: string): Columns {
  const columns = new Map<string, Column>();
  for (const part of text.split(",").slice(0, MAX_COLUMNS)) {
    const [name = "", width = ""] = part.split("~");
    const field = decode(name);
    if (field === "" || field.length > LONGEST_FIELD || columns.has(field)) continue;
    columns.set(field, { field, width: /^\d{1,4}$/.test(width) ? boundedWidth(Number(width)) : null });
  }
  return [...columns.values()];
}

/** Returns the columns in the form that the URL has; "" for no columns. */
export function writeColumns(columns: Columns): string {
  return columns
    .map(({ field, width }) => encode(field) + (width === null ? "" : `~${Math.round(boundedWidth(width))}`))
    .join(",");
}

export function hasColumn(columns: Columns, field: string): boolean {
  return columns.some((column) => column.field === field);
}

/** Returns the columns with a column of the field added at the end, or removed if there was one. */
export function toggleColumn(columns: Columns, field: string): Columns {
  if (hasColumn(columns, field)) return columns.filter((column) => column.field !== field);
  return [...columns, { field, width: null }].slice(-MAX_COLUMNS);
}

/** Returns the columns with the field's column moved by a number of places. Positive numbers move it to the right. */
export function moveColumn(columns: Columns, field: string, by: number): Columns {
  const from = columns.findIndex((column) => column.field === field);
  const moved = columns[from];
  if (moved === undefined) return columns;
  const rest = columns.filter((column) => column !== moved);
  return rest.toSpliced(Math.min(Math.max(from + by, 0), rest.length), 0, moved);
}

export function resizeColumn(columns: Columns, field: string, width: number): Columns {
  const bounded = boundedWidth(width);
  return columns.map((column) => (column.field === field ? { field, width: bounded } : column));
}

/** Returns the allowed width, in CSS pixels, that is closest to the requested one. */
export function boundedWidth(width: number): number {
  return Math.min(Math.max(width, NARROWEST), WIDEST);
}

/** Escapes the two separators, and the percent sign that marks an escape. */
function encode(field: string): string {
  return field.replaceAll(/[%,~]/g, encodeCharacter);
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function decode(text: string): string {
  return text.replaceAll(/%(25|2C|7E)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

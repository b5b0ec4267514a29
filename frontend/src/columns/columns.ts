/** A field that the list of logs shows in a column of its own, beside time, level and message. */
export interface Column {
  /** Name of the field, written as in queries, such as `service` or `user.id`. */
  readonly field: string;
  /** Width in CSS pixels; null for a column as wide as its longest loaded value. */
  readonly width: number | null;
}

/** All columns of the list that can be moved, in their order. The message's column is always among them. */
export type Columns = readonly Column[];

export const DEFAULT_COLUMNS = "service";

/** Field of the message's column. Without a width of its own, this column fills the rest of the row. */
export const MESSAGE = "body";

/** Largest number of columns beside the message's. */
const MAX_COLUMNS = 20;
const LONGEST_FIELD = 256;
const NARROWEST = 40;
const WIDEST = 1200;

/**
 * Reads columns from their form in the URL: fields separated by commas, each with `~` and its width if one was set.
 * Skips unreadable columns and a field's second column. The message is the last column, unless the text has a place for
 * it.
 */
export function readColumns(text: string): Columns {
  const columns = new Map<string, Column>();
  for (const part of text.split(",")) {
    const [name = "", width = ""] = part.split("~");
    const field = decode(name);
    if (field === "" || field.length > LONGEST_FIELD || columns.has(field)) continue;
    const others = columns.size - Number(columns.has(MESSAGE));
    if (field !== MESSAGE && others === MAX_COLUMNS) continue;
    columns.set(field, { field, width: /^\d{1,4}$/.test(width) ? boundedWidth(Number(width)) : null });
  }
  if (!columns.has(MESSAGE)) columns.set(MESSAGE, { field: MESSAGE, width: null });
  return [...columns.values()];
}

/** Returns the columns without the message, if it is the last one and has no width. Links and views leave it out then. */
export function chosenColumns(columns: Columns): Columns {
  const last = columns.at(-1);
  return last?.field === MESSAGE && last.width === null ? columns.slice(0, -1) : columns;
}

/** Returns the columns in the form that the URL has. */
export function writeColumns(columns: Columns): string {
  return chosenColumns(columns)
    .map(({ field, width }) => encode(field) + (width === null ? "" : `~${Math.round(boundedWidth(width))}`))
    .join(",");
}

export function hasColumn(columns: Columns, field: string): boolean {
  return columns.some((column) => column.field === field);
}

/**
 * Returns the columns with a column of the field added, or removed if there was one. A column is added at the end, before
 * a message that stands there. The message stays. If there are MAX_COLUMNS others already, the first of them is removed.
 */
export function toggleColumn(columns: Columns, field: string): Columns {
  if (field === MESSAGE) return columns;
  if (hasColumn(columns, field)) return columns.filter((column) => column.field !== field);
  const end = columns.at(-1)?.field === MESSAGE ? columns.length - 1 : columns.length;
  const added = columns.toSpliced(end, 0, { field, width: null });
  const oldest = added.findIndex((column) => column.field !== MESSAGE);
  return added.length > MAX_COLUMNS + 1 ? added.toSpliced(oldest, 1) : added;
}

/** Returns the columns with the field's column moved by a number of places. Positive numbers move it to the right. */
export function moveColumn(columns: Columns, field: string, by: number): Columns {
  const from = columns.findIndex((column) => column.field === field);
  const moved = columns[from];
  if (moved === undefined) return columns;
  const rest = columns.filter((column) => column !== moved);
  return rest.toSpliced(Math.min(Math.max(from + by, 0), rest.length), 0, moved);
}

/** Returns the columns with the field's column resized; null gives it the width that fits its content. */
export function resizeColumn(columns: Columns, field: string, width: number | null): Columns {
  const bounded = width === null ? null : boundedWidth(width);
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

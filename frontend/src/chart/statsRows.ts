import type { StatsAnswer, StatsCell, StatsColumn } from "../api/types";
import { visibleText } from "../text/signs";

/** The records that a row counts: those of one group, or of all groups that are not shown. */
export type RowKind = "group" | "other";

/**
 * The values of a group or, with time buckets, of a group in one bucket. `start` is the start of the bucket; null
 * without time buckets.
 */
export interface StatsRow {
  readonly kind: RowKind;
  /** Value of each field; null for records without the field. Empty for `other`. */
  readonly group: readonly (string | null)[];
  readonly start: string | null;
  /** One cell for each function. */
  readonly cells: readonly StatsCell[];
}

/** An answer as a list of rows, with or without time buckets. */
export interface StatsTable {
  readonly fields: readonly string[];
  readonly functions: readonly StatsColumn[];
  readonly hasTime: boolean;
  readonly rows: readonly StatsRow[];
}

/** Returns the fields whose values are the groups, in quotes where a query needs them. */
export function groupFields({ columns }: Pick<StatsAnswer, "columns">): string[] {
  return columns.filter(({ kind }) => kind === "field").map(({ name }) => name);
}

export function toTable(answer: StatsAnswer): StatsTable {
  const fields = groupFields(answer);
  const functions = answer.columns.filter(({ kind }) => kind === "function");
  const hasTime = answer.interval_ns !== null;
  return {
    fields,
    functions,
    hasTime,
    rows: hasTime ? rowsOverTime(answer) : rowsOfGroups(answer, fields.length),
  };
}

function rowsOfGroups({ rows, other }: StatsAnswer, fields: number): StatsRow[] {
  const groups = rows.map((row): StatsRow => {
    const group = row.slice(0, fields).map((value) => (value === null ? null : String(value)));
    return { kind: "group", group, start: null, cells: row.slice(fields) };
  });
  return other === null ? groups : [...groups, { kind: "other", group: [], start: null, cells: other }];
}

function rowsOverTime({ series, buckets }: StatsAnswer): StatsRow[] {
  return series.flatMap(({ kind, group, values }) =>
    buckets.map(
      (start, place): StatsRow => ({ kind, group, start, cells: values.map((each) => each[place] ?? null) }),
    ),
  );
}

/** Returns the text of a group: its values, "other", or "all logs" without fields. */
export function groupText(
  kind: RowKind,
  group: readonly (string | null)[],
  fields: readonly string[],
): string {
  if (kind === "other") return "other";
  if (fields.length === 0) return "all logs";
  return fields.map((field, place) => valueText(group[place] ?? null, field)).join(" · ");
}

/** Returns the text of a group's value of one field. */
export function valueText(value: string | null, field: string): string {
  if (value === null) return `no ${visibleText(field)}`;
  return value === "" ? "(empty)" : visibleText(value);
}

/** Returns the number in a cell; null for no number. Very large integers and infinite numbers arrive as text. */
export function numberIn(cell: StatsCell | undefined): number | null {
  if (cell === null || cell === undefined) return null;
  if (cell === "inf" || cell === "-inf") return cell === "inf" ? Infinity : -Infinity;
  const value = Number(cell);
  return Number.isNaN(value) ? null : value;
}

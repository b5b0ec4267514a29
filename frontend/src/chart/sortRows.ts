import { numberIn, type StatsRow } from "./statsRows";

/** A column of the table of numbers, with its place among the columns of its kind. */
export type TableColumn =
  | { readonly kind: "time" }
  | { readonly kind: "field" | "function"; readonly place: number };

/** The order of the rows that a click on a heading chooses. */
export interface RowOrder {
  readonly column: TableColumn;
  readonly isDescending: boolean;
}

/**
 * Returns the order after a click on the heading of a column: first the largest numbers, the first texts or the earliest
 * times, then the opposite order, then the order of the answer, which is null.
 */
export function nextOrder(order: RowOrder | null, column: TableColumn): RowOrder | null {
  const startsDescending = column.kind === "function";
  if (order === null || !isSameColumn(order.column, column)) {
    return { column, isDescending: startsDescending };
  }
  return order.isDescending === startsDescending ? { column, isDescending: !startsDescending } : null;
}

export function isSameColumn(one: TableColumn, other: TableColumn): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the rows in this order. Rows without a value in the column come last. Rows of all other groups come behind
 * them, except in the order of time. Equal rows keep their order.
 */
export function sortRows(rows: readonly StatsRow[], order: RowOrder | null): readonly StatsRow[] {
  if (order === null) return rows;
  const { column, isDescending } = order;
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const apart = Number(one.kind === "other") - Number(other.kind === "other");
    if (apart !== 0 && column.kind !== "time") return apart;
    const [mine, its] = [cellOf(one, column), cellOf(other, column)];
    if (mine === null || its === null) return Number(mine === null) - Number(its === null);
    return (
      sign * (typeof mine === "number" && typeof its === "number" ? mine - its : compareTexts(mine, its))
    );
  });
}

function cellOf(row: StatsRow, column: TableColumn): string | number | null {
  if (column.kind === "time") return row.start;
  if (column.kind === "function") return numberIn(row.cells[column.place]);
  return row.group[column.place] ?? null;
}

/** Compares texts so that `b2` comes before `b10`, because groups are often numbered hosts. */
const TEXTS = new Intl.Collator("en", { numeric: true });
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Compares numbers, such as durations, by value, and all other texts behind them. */
function compareTexts(one: string | number, other: string | number): number {
  const [mine, its] = [String(one), String(other)];
  const apart = Number(NUMBER.test(its)) - Number(NUMBER.test(mine));
  if (apart !== 0) return apart;
  const difference = NUMBER.test(mine) ? Math.sign(Number(mine) - Number(its)) : 0;
  return difference || TEXTS.compare(mine, its);
}

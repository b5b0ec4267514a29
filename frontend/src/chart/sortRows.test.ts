import { describe, expect, it } from "vitest";
import { nextOrder, sortRows } from "./sortRows";
import type { StatsRow } from "./statsRows";

const row = (name: string | null, cell: string | number | null, start: string | null = null): StatsRow => ({
  kind: "group",
  group: [name],
  start,
  cells: [cell],
});
const other: StatsRow = { kind: "other", group: [], start: null, cells: [99] };
const FIELD = { kind: "field", place: 0 } as const;
const NUMBER = { kind: "function", place: 0 } as const;
const namesOf = (rows: readonly StatsRow[]) =>
  rows.map(({ kind, group }) => (kind === "other" ? kind : group[0]));

describe("rows in the order of a column", () => {
  const rows = [row("b2", 10), row("b10", 9), row(null, null), row("a", "inf"), other];

  it("come by number, rows without one last, other groups behind them", () => {
    expect(namesOf(sortRows(rows, { column: NUMBER, isDescending: true }))).toEqual([
      "a",
      "b2",
      "b10",
      null,
      "other",
    ]);
    expect(namesOf(sortRows(rows, { column: NUMBER, isDescending: false }))).toEqual([
      "b10",
      "b2",
      "a",
      null,
      "other",
    ]);
  });

  it("come by text with numbers by value", () => {
    expect(namesOf(sortRows(rows, { column: FIELD, isDescending: false }))).toEqual([
      "a",
      "b2",
      "b10",
      null,
      "other",
    ]);
  });

  it("come by value where the texts are numbers", () => {
    const numbers = ["x", "-2", "1.5", "10", "-10", "1.25", "1e3", "9"].map((text) => row(text, 1));
    const sorted = namesOf(sortRows(numbers, { column: FIELD, isDescending: false }));
    expect(sorted).toEqual(["-10", "-2", "1.25", "1.5", "9", "10", "1e3", "x"]);
  });

  it("keep their order where they are equal, and without an order", () => {
    const equal = [row("x", 1), row("y", 1)];
    expect(sortRows(equal, { column: NUMBER, isDescending: true })).toEqual(equal);
    expect(sortRows(rows, null)).toBe(rows);
  });

  it("come by time", () => {
    const timed = [row("a", 1, "2026-01-02T00:00:00Z"), row("b", 2, "2026-01-01T00:00:00Z")];
    expect(namesOf(sortRows(timed, { column: { kind: "time" }, isDescending: false }))).toEqual(["b", "a"]);
  });
});

it("turns the order at the second click, and returns to the answer's at the third", () => {
  const first = nextOrder(null, NUMBER);
  expect(first).toEqual({ column: NUMBER, isDescending: true });
  const second = nextOrder(first, NUMBER);
  expect(second).toEqual({ column: NUMBER, isDescending: false });
  expect(nextOrder(second, NUMBER)).toBeNull();
  expect(nextOrder(second, FIELD)).toEqual({ column: FIELD, isDescending: false });
});

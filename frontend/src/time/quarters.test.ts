import { expect, it } from "vitest";
import { parseRfc3339 } from "./nanoseconds";
import { wholeQuarters } from "./quarters";

const at = (clock: string) => parseRfc3339(`2026-11-21T${clock}Z`) ?? 0n;

it.each([
  ["10:07:00", "11:07:00", "10:15:00", "11:00:00"],
  ["10:15:00", "11:00:00", "10:15:00", "11:00:00"],
  ["10:00:00.000000001", "10:30:00", "10:15:00", "10:30:00"],
])("finds the whole quarters of an hour between %s and %s", (start, end, first, last) => {
  expect(wholeQuarters({ start: at(start), end: at(end) })).toEqual({ start: at(first), end: at(last) });
});

it("finds none in a shorter range", () => {
  expect(wholeQuarters({ start: at("10:01:00"), end: at("10:29:59") })).toBeNull();
});

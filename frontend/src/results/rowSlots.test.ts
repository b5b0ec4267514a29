import { expect, it } from "vitest";
import { RowSlots } from "./rowSlots";

const assigned = (slots: RowSlots, ids: string, isReusing: boolean) =>
  Object.fromEntries(slots.assign([...ids], isReusing));

it("gives rows that come into view the slots of rows that left, and no other row another slot", () => {
  const slots = new RowSlots();
  expect(assigned(slots, "abcd", true)).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  expect(assigned(slots, "cdef", true)).toEqual({ c: 2, d: 3, e: 0, f: 1 });
  expect(assigned(slots, "cdef", true)).toEqual({ c: 2, d: 3, e: 0, f: 1 });
  expect(assigned(slots, "defgh", true)).toEqual({ d: 3, e: 0, f: 1, g: 2, h: 4 });
});

it("gives new rows new slots where none may be reused", () => {
  const slots = new RowSlots();
  slots.assign([..."abc"], false);
  expect(assigned(slots, "bcd", false)).toEqual({ b: 1, c: 2, d: 3 });
});

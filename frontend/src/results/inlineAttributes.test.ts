import { expect, it } from "vitest";
import { valueText } from "../api/logJson";
import { inlineAttributes } from "./inlineAttributes";

it("writes any value as text", () => {
  expect([1, true, null, "a", [1], { b: 2 }].map(valueText)).toEqual([
    "1",
    "true",
    "null",
    "a",
    "[1]",
    '{"b":2}',
  ]);
});

it("keeps few and short ones, with their own characters", () => {
  expect(inlineAttributes({ a: "x\n y", b: "z".repeat(100) })).toEqual([
    { name: "a", value: "x\n y" },
    { name: "b", value: `${"z".repeat(60)}…` },
  ]);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, n]));
  expect(inlineAttributes(many)).toHaveLength(8);
  expect(inlineAttributes(many, new Set(), 9)).toHaveLength(3);
  expect(inlineAttributes(many, new Set(["k0"]), 1)).toEqual([{ name: "k1", value: "1" }]);
  expect(inlineAttributes(many, new Set(), 0)).toEqual([]);
});

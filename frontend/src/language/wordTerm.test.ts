import { expect, it } from "vitest";
import { addTerm } from "./editQuery";
import { wordTerm } from "./wordTerm";

it.each<[string, string | null, string | null]>([
  ['"user_id":42', null, '"user id 42"'],
  ['"naïve":"é"', null, '"naïve é"'],
  ['"id":7', "user data", '"user data":~"id 7"'],
  ['"":""', null, null],
  ["x".repeat(1_001), null, null],
  ["a ".repeat(40), null, `"${"a ".repeat(16).trim()}"`],
])("finds %j of field %j as %j", (text, field, term) => {
  expect(wordTerm(text, field)).toBe(term);
});

it("is added to a query once", () => {
  expect(addTerm("a OR b", '"id 42"')).toBe('(a OR b) "id 42"');
  expect(addTerm('x "id 42"', '"id 42"')).toBe('x "id 42"');
});

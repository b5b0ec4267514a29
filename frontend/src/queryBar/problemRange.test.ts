import { expect, it } from "vitest";
import { problemRange } from "./problemRange";

it.each<[string, number, string]>([
  ["error AND AND", 10, "AND"],
  ["a )", 2, ")"],
  ["(a", 2, "a"],
  ["a  b", 2, " "],
  ["\u{1F600} ) x", 2, ")"],
  ['x "unclosed', 2, '"unclosed'],
  ["a", 900, "a"],
])("underlines in %j at %d", (text, position, expected) => {
  const { from, to } = problemRange(text, position);
  expect(text.slice(from, to)).toBe(expected);
});

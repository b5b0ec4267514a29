import { expect, it } from "vitest";
import { spanMatcher } from "./spanMatcher";

it("divides a match between the parts of a text", () => {
  const matches = [{ from: 2, to: 9 }];
  expect(spanMatcher(matches, { from: 1, to: 4 })("")).toEqual([{ from: 1, to: 3 }]);
  expect(spanMatcher(matches, { from: 6, to: 12 })("")).toEqual([{ from: 0, to: 3 }]);
  expect(spanMatcher(matches, { from: 9, to: 12 })("")).toEqual([]);
});

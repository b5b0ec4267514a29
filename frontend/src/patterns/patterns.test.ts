import { expect, it } from "vitest";
import type { PatternsAnswer } from "../api/types";
import { shareText, summaryText } from "./patternTexts";
import { templateParts } from "./templateParts";

const ANSWER: PatternsAnswer = {
  start: "",
  end: "",
  sampled: 10_000,
  matching: 52_331,
  is_estimate: true,
  sampled_before: 0,
  found: 40,
  patterns: [],
};

it("splits a template at its wildcards", () => {
  expect(templateParts("user <*> in ord<*>").map(({ text }) => text)).toEqual([
    "user ",
    "<*>",
    " in ord",
    "<*>",
  ]);
  expect(templateParts("<*>")).toEqual([{ text: "<*>", isWildcard: true, from: 0 }]);
});

it("says which logs were grouped", () => {
  expect(summaryText(ANSWER)).toBe(
    "0 of 40 patterns in a sample of 10,000 of 52,331 logs: shares are estimates",
  );
  expect(summaryText({ ...ANSWER, matching: null, found: 0 })).toContain("in the newest 10,000 logs");
  expect(summaryText({ ...ANSWER, sampled: 1, matching: 1, is_estimate: false, found: 0 })).toBe(
    "0 patterns in 1 log",
  );
});

it.each([
  [0.5, false, "50%"],
  [0.0123, true, "~1.2%"],
  [0.0001, true, "~0.01%"],
  [0, false, "0%"],
])("writes the share %d", (share, isEstimate, text) => {
  expect(shareText(share, isEstimate)).toBe(text);
});

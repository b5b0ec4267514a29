import { expect, it } from "vitest";
import {
  choiceOfSeconds,
  isRefreshChoice,
  REFRESH_CHOICES,
  refreshMilliseconds,
  refreshSeconds,
} from "./refreshEvery";

it("refreshes ranges that end now, and no others", () => {
  expect(refreshMilliseconds("10s", { from: "now-1h", to: "now" })).toBe(10_000);
  expect(refreshMilliseconds("1m", { from: "2026-11-22T10:00:00Z", to: "now" })).toBe(60_000);
  expect(refreshMilliseconds("10s", { from: "now-2h", to: "now-1h" })).toBeNull();
  expect(refreshMilliseconds(null, { from: "now-1h", to: "now" })).toBeNull();
});

it("knows its choices", () => {
  expect(["10s", "1m", "1s", "", null].map(isRefreshChoice)).toEqual([true, true, false, false, false]);
});

it("finds the choice that is closest to stored seconds without being shorter", () => {
  expect([null, 10, 11, 60, 120, 86_400].map(choiceOfSeconds)).toEqual([
    null,
    "10s",
    "30s",
    "1m",
    "5m",
    "5m",
  ]);
  for (const choice of REFRESH_CHOICES) expect(choiceOfSeconds(refreshSeconds(choice))).toBe(choice);
});

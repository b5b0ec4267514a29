import { expect, it } from "vitest";
import { isRefreshChoice, refreshMilliseconds } from "./refreshEvery";

it("refreshes ranges that end now, and no others", () => {
  expect(refreshMilliseconds("10s", { from: "now-1h", to: "now" })).toBe(10_000);
  expect(refreshMilliseconds("1m", { from: "2026-11-22T10:00:00Z", to: "now" })).toBe(60_000);
  expect(refreshMilliseconds("10s", { from: "now-2h", to: "now-1h" })).toBeNull();
  expect(refreshMilliseconds(null, { from: "now-1h", to: "now" })).toBeNull();
});

it("knows its choices", () => {
  expect(["10s", "1m", "1s", "", null].map(isRefreshChoice)).toEqual([true, true, false, false, false]);
});

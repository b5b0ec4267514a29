import { expect, it } from "vitest";
import { NONE_HIDDEN, onlySeries, toggleSeries } from "./hiddenSeries";

const ALL = ["error", "warn", "info"];

it("hides and shows one severity", () => {
  const hidden = toggleSeries(NONE_HIDDEN, ALL, "info");
  expect([...hidden]).toEqual(["info"]);
  expect([...toggleSeries(hidden, ALL, "warn")]).toEqual(["info", "warn"]);
  expect([...toggleSeries(hidden, ALL, "info")]).toEqual([]);
});

it("shows all again instead of none", () => {
  expect(toggleSeries(new Set(["error", "warn"]), ALL, "info")).toBe(NONE_HIDDEN);
});

it("leaves only one severity, and all when it is chosen again", () => {
  const hidden = onlySeries(NONE_HIDDEN, ALL, "error");
  expect([...hidden]).toEqual(["warn", "info"]);
  expect([...onlySeries(hidden, ALL, "warn")]).toEqual(["error", "info"]);
  expect(onlySeries(hidden, ALL, "error")).toBe(NONE_HIDDEN);
});

import { expect, it } from "vitest";
import { rateMeter } from "./rateMeter";

it("averages over five seconds", () => {
  const rate = rateMeter(0);
  expect(rate(10, 1_000)).toBe(10);
  expect(rate(20, 2_000)).toBe(15);
  for (const now of [3_000, 4_000, 5_000]) rate(0, now);
  expect(rate(0, 6_000)).toBe(4);
  expect(rate(0, 7_000)).toBe(0);
});

it("shows no rate of a minute as that of a second after the page was in the background", () => {
  const rate = rateMeter(0);
  for (const now of [1_000, 2_000, 3_000, 4_000, 5_000]) rate(10, now);
  expect(rate(600, 65_000)).toBe(10);
  expect(rate(10, 66_000)).toBe(10);
});

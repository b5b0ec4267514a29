import { describe, expect, it } from "vitest";
import { linearTicks, logTicks } from "./countTicks";

describe("linearTicks", () => {
  it.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6]],
    [180, [0, 50, 100, 150]],
    [700, [0, 200, 400, 600]],
    [999_999, [0, 200_000, 400_000, 600_000, 800_000]],
  ])("labels an axis up to %d", (high, ticks) => {
    expect(linearTicks(high, 4)).toEqual(ticks);
  });

  it("labels more counts on a taller axis", () => {
    expect(linearTicks(700, 8)).toEqual([0, 100, 200, 300, 400, 500, 600, 700]);
  });

  it("has at least three labels from two logs on", () => {
    for (let high = 2; high < 3_000; high += 1) {
      const ticks = linearTicks(high, 4);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
  });
});

describe("logTicks", () => {
  it.each([
    [1, [1]],
    [30, [1, 5, 20]],
    [4_000, [1, 10, 100, 1_000]],
    [3_000_000, [1, 100, 10_000, 1_000_000]],
  ])("labels an axis up to %d", (high, ticks) => {
    expect(logTicks(high, 4)).toEqual(ticks);
  });
});

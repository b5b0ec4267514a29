import { describe, expect, it } from "vitest";
import { describeDuration, formatInterval, parseDuration } from "./duration";

describe("parseDuration", () => {
  it.each([
    ["5m", 300n],
    ["90m", 5400n],
    ["1h30m", 5400n],
    [" 1h 30m ", 5400n],
    ["2D", 172_800n],
    ["1w", 604_800n],
  ])("reads %s", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds * 1_000_000_000n);
  });

  it.each(["", "0m", "m", "5", "5 minutes", "5y", "-5m", "1.5h", "999999999w"])("refuses %s", (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe("words for durations", () => {
  it("spells units out", () => {
    expect(describeDuration("1h")).toBe("1 hour");
    expect(describeDuration("90m")).toBe("90 minutes");
    expect(describeDuration("1h30m")).toBe("1 hour 30 minutes");
  });

  it.each([
    [30_000_000_000n, "30 s"],
    [5_400_000_000_000n, "1.5 h"],
    [86_400_000_000_000n, "1 d"],
    [250_000_000n, "250 ms"],
    [0n, "0 s"],
  ])("shortens %d ns", (interval, expected) => {
    expect(formatInterval(interval)).toBe(expected);
  });
});

import { describe, expect, it } from "vitest";
import { parseRfc3339 } from "./nanoseconds";
import {
  absoluteRange,
  describeRelative,
  relativeDuration,
  relativeRange,
  resolveRange,
  resolveTime,
  type TimeWindow,
  zoomOut,
} from "./timeExpression";

const NOW = parseRfc3339("2026-11-21T12:00:00Z") ?? 0n;
const MINUTE = 60_000_000_000n;

describe("resolveTime", () => {
  it("counts relative expressions back from now", () => {
    expect(resolveTime("now", NOW)).toBe(NOW);
    expect(resolveTime("now-90m", NOW)).toBe(NOW - 90n * MINUTE);
  });

  it("keeps absolute expressions exact", () => {
    expect(resolveTime("2026-11-21T12:00:00.000000001Z", 0n)).toBe(NOW + 1n);
  });

  it.each(["", "now-", "now-5", "now+5m", "yesterday"])("refuses %s", (text) => {
    expect(resolveTime(text, NOW)).toBeNull();
  });
});

describe("ranges", () => {
  it("refuses empty and reversed ranges", () => {
    expect(resolveRange({ from: "now", to: "now" }, NOW)).toBeNull();
    expect(resolveRange({ from: "now", to: "now-5m" }, NOW)).toBeNull();
    expect(resolveRange({ from: "now-5m", to: "now" }, NOW)).toEqual({ start: NOW - 5n * MINUTE, end: NOW });
  });

  it("goes from a window to an absolute range and back without losing a nanosecond", () => {
    const window = { start: NOW - 1n, end: NOW + 7n };
    expect(resolveRange(absoluteRange(window), 0n)).toEqual(window);
  });

  it("names relative ranges and only those", () => {
    expect(relativeRange(" 1H 30m ")).toEqual({ from: "now-1h30m", to: "now" });
    expect(relativeDuration(relativeRange("15m"))).toBe("15m");
    expect(describeRelative(relativeRange("15m"))).toBe("Past 15 minutes");
    expect(describeRelative({ from: "now-2h", to: "now-1h" })).toBeNull();
    expect(describeRelative({ from: "2026-11-21T12:00:00Z", to: "now" })).toBeNull();
  });
});

describe("zoomOut", () => {
  it("doubles around the middle in the past", () => {
    const window = { start: NOW - 60n * MINUTE, end: NOW - 50n * MINUTE };
    expect(zoomOut(window, NOW)).toEqual({ start: NOW - 65n * MINUTE, end: NOW - 45n * MINUTE });
  });

  it("grows to the left only when the right edge is now", () => {
    expect(zoomOut({ start: NOW - 10n * MINUTE, end: NOW }, NOW)).toEqual({
      start: NOW - 20n * MINUTE,
      end: NOW,
    });
  });

  it("grows even from a single nanosecond", () => {
    const { start, end } = zoomOut({ start: NOW - MINUTE, end: NOW - MINUTE + 1n }, NOW);
    expect(end - start).toBe(2_000_000_001n);
  });

  it("stays within the times that the API accepts, however often it is repeated", () => {
    const tooFar = { start: NOW - MINUTE, end: NOW + MINUTE };
    for (const first of [{ start: NOW - MINUTE, end: NOW }, tooFar]) {
      const last = Array.from({ length: 30 }).reduce<TimeWindow>((window) => zoomOut(window, NOW), first);
      expect(last.start).toBe(parseRfc3339("2000-01-01T00:00:00Z"));
      expect(last.end).toBe(first === tooFar ? 9_223_372_036_854_775_807n : NOW);
    }
  });
});

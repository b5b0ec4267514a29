import { afterEach, describe, expect, it, vi } from "vitest";
import {
  formatBucketEdges,
  formatFullTime,
  formatRowTime,
  formatWindowEdges,
  fromInputValue,
  localOffset,
  toInputValue,
} from "./format";
import { parseRfc3339 } from "./nanoseconds";

const TIME = parseRfc3339("2026-11-21T01:02:03.123456789Z") ?? 0n;

afterEach(() => vi.restoreAllMocks());

describe("times people read", () => {
  it("has a fixed width in rows", () => {
    expect(formatRowTime(TIME, "utc")).toBe("Nov 21 01:02:03.123");
    expect(formatRowTime(parseRfc3339("2026-03-01T00:00:00Z") ?? 0n, "utc")).toBe("Mar 01 00:00:00.000");
  });

  it("shows all nine digits in detail", () => {
    expect(formatFullTime(TIME, "utc")).toBe("2026-11-21 01:02:03.123456789 UTC");
    expect(formatFullTime(TIME, "local")).toContain(".123456789 ");
  });

  it.each([
    [-60, "2026-11-21 02:02:03.123456789 +01:00"],
    [0, "2026-11-21 01:02:03.123456789 UTC"],
  ])("writes the offset of the browser's zone, and UTC for none", (offset, text) => {
    vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(offset);
    expect(formatFullTime(TIME, "local")).toBe(text);
  });

  it("repeats the date of a window only when it changes", () => {
    const hour = 3_600_000_000_000n;
    const start = parseRfc3339("2026-11-21T01:00:00Z") ?? 0n;
    expect(formatWindowEdges(start, start + hour, "utc", TIME)).toBe("Nov 21 01:00 – 02:00");
    expect(formatWindowEdges(start, start + 24n * hour, "utc", TIME)).toBe("Nov 21 01:00 – Nov 22 01:00");
    expect(formatWindowEdges(start, TIME, "utc", TIME)).toBe("Nov 21 01:00 – 01:02:03");
    expect(formatWindowEdges(TIME, TIME + 1_000n, "utc", TIME)).toBe(
      "Nov 21 01:02:03.123456789 – 01:02:03.123457789",
    );
  });

  it("names the year of a window that is not in this year", () => {
    const hour = 3_600_000_000_000n;
    const start = parseRfc3339("2025-12-31T23:00:00Z") ?? 0n;
    expect(formatWindowEdges(start, start + hour / 2n, "utc", TIME)).toBe("Dec 31 2025 23:00 – 23:30");
    expect(formatWindowEdges(start, start + hour, "utc", TIME)).toBe("Dec 31 2025 23:00 – Jan 01 2026 00:00");
    expect(formatWindowEdges(start, start + hour / 2n, "utc", start)).toBe("Dec 31 23:00 – 23:30");
  });

  it("shows a bucket's edges as exactly as buckets are long", () => {
    const start = parseRfc3339("2026-11-21T23:30:00Z") ?? 0n;
    const half = 500_000_000n;
    expect(formatBucketEdges(start, start + half, "utc", TIME)).toBe("Nov 21 23:30:00 – 23:30:00.500");
    expect(formatBucketEdges(start, start + 3600n * half, "utc", TIME)).toBe(
      "Nov 21 23:30:00 – Nov 22 00:00:00",
    );
    expect(formatBucketEdges(start + 546_000n, start + 546_500n, "utc", TIME)).toBe(
      "Nov 21 23:30:00.000546 – 23:30:00.000546500",
    );
  });
});

describe("datetime-local inputs", () => {
  it.each(["utc", "local"] as const)("round-trips whole seconds in %s", (zone) => {
    const second = parseRfc3339("2026-11-21T01:02:03Z") ?? 0n;
    expect(fromInputValue(toInputValue(TIME, zone), zone)).toBe(second);
  });

  it("accepts inputs without seconds and refuses nonsense", () => {
    expect(fromInputValue("2026-11-21T01:02", "utc")).toBe(parseRfc3339("2026-11-21T01:02:00Z"));
    expect(fromInputValue("", "utc")).toBeNull();
    expect(fromInputValue("", "local")).toBeNull();
  });

  it("writes the offset as RFC 3339 does", () => {
    expect(localOffset(TIME)).toMatch(/^[+-]\d\d:\d\d$/);
  });
});

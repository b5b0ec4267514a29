import { describe, expect, it } from "vitest";
import { fromMilliseconds, parseRfc3339, toMilliseconds, toRfc3339, toShortRfc3339 } from "./nanoseconds";

describe("parseRfc3339", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0n],
    ["2026-11-21T01:02:03.123456789Z", 1795222923123456789n],
    ["2026-11-21T01:02:03.5Z", 1795222923500000000n],
    ["2026-11-21T02:02:03.123456789+01:00", 1795222923123456789n],
    ["2026-11-21 01:02:03Z", 1795222923000000000n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
  ])("reads %s", (text, expected) => {
    expect(parseRfc3339(text)).toBe(expected);
  });

  it.each([
    "",
    "now",
    "2026-11-21",
    "2026-11-21T01:02:03",
    "2026-02-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-21T25:00:00Z",
    "2026-11-21T01:02:03.1234567890Z",
  ])("refuses %s", (text) => {
    expect(parseRfc3339(text)).toBeNull();
  });
});

describe("printing", () => {
  it("keeps every nanosecond", () => {
    for (const text of [
      "2026-11-21T01:02:03.123456789Z",
      "1969-12-31T23:59:59.999999999Z",
      "2026-01-01T00:00:00.000000001Z",
    ]) {
      expect(toRfc3339(parseRfc3339(text) ?? 0n)).toBe(text);
    }
  });

  it("drops trailing zeros in the short form only", () => {
    expect(toRfc3339(1795222923500000000n)).toBe("2026-11-21T01:02:03.500000000Z");
    expect(toShortRfc3339(1795222923500000000n)).toBe("2026-11-21T01:02:03.5Z");
    expect(toShortRfc3339(parseRfc3339("2026-11-21T10:00:00Z") ?? 0n)).toBe("2026-11-21T10:00:00Z");
  });

  it("rounds down to milliseconds on both sides of 1970", () => {
    expect(toMilliseconds(1_999_999n)).toBe(1);
    expect(toMilliseconds(-1n)).toBe(-1);
    expect(fromMilliseconds(1.4)).toBe(1_000_000n);
  });
});

import { expect, it } from "vitest";
import { formatBytes, formatCompact, formatCount, formatElapsed, plural } from "./quantity";

it("groups and shortens counts", () => {
  expect(formatCount(1234567)).toBe("1,234,567");
  expect(formatCompact(1234567)).toBe("1.2M");
  expect(plural(1, "log")).toBe("1 log");
  expect(plural(2000, "log")).toBe("2,000 logs");
});

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 KB"],
  [34_200_000, "34.2 MB"],
  [999_999, "1.0 MB"],
  [250_000_000, "250 MB"],
])("prints %d bytes", (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});

it("prints milliseconds up to a second", () => {
  expect(formatElapsed(4.26)).toBe("4.3 ms");
  expect(formatElapsed(43.4)).toBe("43 ms");
  expect(formatElapsed(1250)).toBe("1.25 s");
});

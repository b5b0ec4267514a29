import { expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { extentOf, formatOffset, percentOf } from "./timeline";

it.each<[bigint, string]>([
  [0n, "0"],
  [999n, "999 ns"],
  [1_500n, "1.500 µs"],
  [999_999_999n, "999.999 ms"],
  [1_250_000_000n, "1.250 s"],
  [59_999_999_999n, "59.999 s"],
  [90_000_000_000n, "1.500 min"],
  [5_400_000_000_000n, "1.500 h"],
])("writes %s ns as %s", (offset, text) => {
  expect(formatOffset(offset)).toBe(text);
});

it("places a time between the first log and the last one", () => {
  const extent = { first: 1_000n, last: 3_000n };
  expect([500n, 1_000n, 1_500n, 3_000n, 4_000n].map((time) => percentOf(time, extent))).toEqual([
    0, 0, 25, 100, 100,
  ]);
  expect(percentOf(1_000n, { first: 1_000n, last: 1_000n })).toBe(0);
});

it("keeps the nanoseconds of an extent", () => {
  const first = sampleLog({ timestamp: "2026-11-21T01:02:03.000000001Z" });
  const last = sampleLog({ timestamp: "2026-11-21T01:02:03.000000003Z" });
  const extent = extentOf(first, last);
  expect(extent === null ? null : extent.last - extent.first).toBe(2n);
  expect(extentOf(undefined, last)).toBeNull();
  expect(extentOf(last, first)?.last).toBe(extentOf(last, last)?.last);
});

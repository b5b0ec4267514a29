import { describe, expect, it } from "vitest";
import { parseRfc3339 } from "./nanoseconds";
import { parseTypedRange } from "./typedRange";

const NOW = parseRfc3339("2026-11-22T12:34:56Z") ?? 0n;
const read = (text: string) => parseTypedRange(text, "utc", NOW);

describe("ranges that end now", () => {
  it.each([
    ["90m", "now-90m"],
    ["last 90m", "now-90m"],
    ["Past 2 hours", "now-2h"],
    ["the last hour", "now-1h"],
    ["1 h 30 min", "now-1h30m"],
    ["last 3 days", "now-3d"],
  ])("%s", (text, from) => {
    expect(read(text)).toEqual({ from, to: "now" });
  });
});

describe("ranges between two times", () => {
  it.each([
    ["2026-11-22 10:00 to 11:00", "2026-11-22T10:00:00Z", "2026-11-22T11:00:00Z"],
    ["2026-11-22 10:00:00.5 – 2026-11-22 11:00", "2026-11-22T10:00:00.5Z", "2026-11-22T11:00:00Z"],
    ["2026-11-22T10:00:00Z/2026-11-22T11:00:00+00:00", "2026-11-22T10:00:00Z", "2026-11-22T11:00:00Z"],
    ["2026-11-22T10:00+02:00 to 11:00", "2026-11-22T08:00:00Z", "2026-11-22T11:00:00Z"],
    ["2026-11-21T22:00-05:00 to 23:00-05:00", "2026-11-22T03:00:00Z", "2026-11-22T04:00:00Z"],
    ["2026-11-22T01:00+02:00 to 02:00+02:00", "2026-11-21T23:00:00Z", "2026-11-22T00:00:00Z"],
    ["9:00 - 10:30", "2026-11-22T09:00:00Z", "2026-11-22T10:30:00Z"],
    ["2026-11-21 22:00 to 02:00", "2026-11-21T22:00:00Z", "2026-11-22T02:00:00Z"],
    ["2026-11-21", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"],
    ["today", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"],
    ["Yesterday", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"],
    ["10:00", "2026-11-22T10:00:00Z", "2026-11-22T12:34:56Z"],
    ["now-2h to now-1h", "2026-11-22T10:34:56Z", "2026-11-22T11:34:56Z"],
    ["1795341600 to 1795345200000", "2026-11-22T10:00:00Z", "2026-11-22T11:00:00Z"],
  ])("%s", (text, from, to) => {
    expect(read(text)).toEqual({ from, to });
  });

  it("reads times without an offset in the page's zone", () => {
    const local = parseTypedRange("2026-11-22 10:00 to 11:00", "local", NOW);
    expect(Date.parse(local?.from ?? "")).toBe(new Date("2026-11-22T10:00").getTime());
  });
});

it.each([
  "",
  "last",
  "5",
  "5 parsecs",
  "tomorrow",
  "11:00 to",
  "2026-13-01",
  "2026-11-22 25:00 to 26:00",
  "2026-11-22 11:00 to 2026-11-22 10:00",
  "2027-01-01 10:00",
  "9999-12-31T23:00-05:00 to 23:30",
  "a to b to c",
  "Z",
])("refuses %j", (text) => {
  expect(read(text)).toBeNull();
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stubZone } from "../testing/stubZone";
import { parseRfc3339 } from "./nanoseconds";
import { parseTypedRange } from "./typedRange";

beforeEach(() => stubZone("Europe/Berlin"));
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ["2026-03-30T00:30:00+02:00", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
  ["2026-10-25T23:30:00+01:00", "2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z"],
])("reads yesterday at %s, next to a change of clocks", (now, from, to) => {
  expect(parseTypedRange("yesterday", "local", parseRfc3339(now) ?? 0n)).toEqual({ from, to });
});

it.each([
  ["2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
  ["2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
  ["2026-10-24 22:00 to 06:00", "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"],
])("reads %s as a range of the clock, also when clocks change", (text, from, to) => {
  expect(parseTypedRange(text, "local", 0n)).toEqual({ from, to });
});

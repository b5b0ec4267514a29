import { expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { DEFAULT_STATE } from "./searchState";
import { shareLink } from "./shareLink";

it("fixes relative ranges and keeps the rest", () => {
  const window = {
    start: parseRfc3339("2026-11-21T01:00:00Z") ?? 0n,
    end: parseRfc3339("2026-11-21T02:00:00.000000001Z") ?? 0n,
  };
  const state = { ...DEFAULT_STATE, query: "a b", record: "r1" };
  expect(shareLink("http://logs.example:8080/?from=now-1h", state, window)).toBe(
    "http://logs.example:8080/?query=a+b&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00.000000001Z&record=r1",
  );
});

it.each([
  ["after", "2026-11-21T02:00:05.000000007Z", "2026-11-21T01:00:00Z", "2026-11-21T02:00:05.000000008Z"],
  ["before", "2026-11-21T00:59:00Z", "2026-11-21T00:59:00Z", "2026-11-21T02:00:00Z"],
  ["within", "2026-11-21T01:30:00Z", "2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z"],
])("includes a live tail's open record %s the range, but not that of a search", (_, timestamp, from, to) => {
  const window = {
    start: parseRfc3339("2026-11-21T01:00:00Z") ?? 0n,
    end: parseRfc3339("2026-11-21T02:00:00Z") ?? 0n,
  };
  const rangeOf = (tail: boolean) => {
    const state = { ...DEFAULT_STATE, record: "r1", tail };
    const { searchParams } = new URL(shareLink("http://x/", state, window, { timestamp }));
    return [searchParams.get("from"), searchParams.get("to"), searchParams.get("tail")];
  };
  expect(rangeOf(true)).toEqual([from, to, null]);
  expect(rangeOf(false)).toEqual(["2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z", null]);
});

it("leaves a range alone that has no window", () => {
  expect(shareLink("http://x/", DEFAULT_STATE, null)).toBe("http://x/?from=now-1h&to=now");
});

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

it("leaves a range alone that has no window", () => {
  expect(shareLink("http://x/", DEFAULT_STATE, null)).toBe("http://x/?from=now-1h&to=now");
});

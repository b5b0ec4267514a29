import { expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { DEFAULT_STATE } from "../url/searchState";
import { pageTitle } from "./pageTitle";

const NOW = parseRfc3339("2026-11-21T12:00:00Z") ?? 0n;
const WINDOW = { start: NOW - 3_600_000_000_000n, end: NOW };
const title = (changes: object, window: typeof WINDOW | null = WINDOW) =>
  pageTitle({ ...DEFAULT_STATE, ...changes }, window, "utc", NOW);

it("says what is searched and when", () => {
  expect(title({})).toBe("All logs · last 1 hour · Logsieve");
  expect(title({ query: "payment", from: "now-15m" })).toBe('"payment" · last 15 min · Logsieve');
  expect(title({ query: "a", from: "2026-11-21T11:00:00Z" })).toBe('"a" · Nov 21 11:00 – 12:00 · Logsieve');
  expect(title({ query: "a", tail: true })).toBe('"a" · live · Logsieve');
  expect(title({ query: "a", to: "now-2h" }, null)).toBe('"a" · empty range · Logsieve');
});

it("stays short and shows what hides", () => {
  expect(title({ query: "a ".repeat(80) })).toMatch(/^"(a ){29}a…" · /);
  expect(title({ query: "a\u202eb" })).not.toContain("\u202e");
});

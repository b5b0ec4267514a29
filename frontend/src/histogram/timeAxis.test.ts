import { expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { timeAxis } from "./timeAxis";

const START = parseRfc3339("2026-11-21T01:02:03.123456789Z") ?? 0n;

it("tells nanoseconds apart in a short range", () => {
  const { originMs, placeOf, timeAt } = timeAxis({ start: START, end: START + 100n });
  const times = [START - 400_000n, START, START + 1n, START + 99n];
  expect(times.map((time) => timeAt(placeOf(time)))).toEqual(times);
  expect(new Set(times.map(placeOf)).size).toBe(4);
  expect(new Date(originMs).toISOString()).toBe("2026-11-21T01:02:03.123Z");
});

it("has milliseconds since 1970 in a longer range, and times before 1970", () => {
  const { originMs, placeOf, timeAt } = timeAxis({ start: START, end: START + 1_000_000_000n });
  const whole = parseRfc3339("2026-11-21T01:02:03.5Z") ?? 0n;
  expect([originMs, placeOf(whole)]).toEqual([0, Date.parse("2026-11-21T01:02:03.5Z")]);
  expect(timeAt(placeOf(whole))).toBe(whole);
  expect(timeAt(placeOf(-1_500_000n))).toBe(-1_500_000n);
});

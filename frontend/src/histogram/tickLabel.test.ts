import { expect, it } from "vitest";
import { parseRfc3339, toMilliseconds } from "../time/nanoseconds";
import { tickLabel } from "./tickLabel";

it.each([
  ["2026-11-21T01:02:03.400Z", 200, "02:03.400"],
  ["2026-11-21T01:02:30Z", 30_000, "01:02:30"],
  ["2026-11-21T01:02:00Z", 60_000, "01:02"],
  ["2026-11-21T00:00:00Z", 3_600_000, "Nov 21"],
  ["2026-11-21T12:00:00Z", 86_400_000, "Nov 21"],
])("labels %s, ticks %d ms apart, %s", (time, stepMs, expected) => {
  expect(tickLabel(toMilliseconds(parseRfc3339(time) ?? 0n), stepMs, "utc")).toBe(expected);
});

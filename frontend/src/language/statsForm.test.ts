import { expect, it } from "vitest";
import { withFittingStep } from "../chart/fittingStep";
import { parseRfc3339 } from "../time/nanoseconds";
import { countOverTime, readStats, writeStats } from "./statsForm";

const START = parseRfc3339("2026-11-21T00:00:00Z") ?? 0n;
const hours = (count: number) => ({ start: START, end: START + BigInt(count) * 3_600_000_000_000n });

it.each([
  [{ name: "count", field: "", by: "", step: "" }, "count()"],
  [{ name: "count", field: "", by: "service", step: "" }, "count() by service | limit 20"],
  [
    { name: "p95", field: "latency_ms", by: "http.route", step: "5m" },
    "p95(latency_ms) by http.route, time(5m) | limit 5",
  ],
  [{ name: "rate", field: "", by: "", step: "1m" }, "rate() by time(1m)"],
  [{ name: "uniq", field: "odd name", by: "", step: "" }, 'uniq("odd name")'],
] as const)("writes and reads %j", (form, text) => {
  expect(writeStats(form)).toBe(text);
  expect(readStats(text)).toEqual(form);
});

it("writes nothing while a function has no field", () => {
  expect(writeStats({ name: "avg", field: "", by: "service", step: "" })).toBeNull();
});

it.each([
  "count(), avg(ms)",
  "count_if(error)",
  "count() by service, host",
  "count() by service | sort service asc",
  "avg()",
  "count(ms)",
  "nonsense",
  "",
])("leaves %j to the query bar", (text) => {
  expect(readStats(text)).toBeNull();
});

it("counts over time in at most a hundred buckets", () => {
  expect(countOverTime(hours(1)).step).toBe("1m");
  expect(countOverTime(hours(24)).step).toBe("30m");
  expect(countOverTime(hours(24 * 7)).step).toBe("3h");
  expect(countOverTime(hours(24 * 3_000)).step).toBe("7d");
});

it("widens time buckets only where a range has too many", () => {
  expect(withFittingStep("count() by time(1m)", hours(6))).toBe("count() by time(1m)");
  expect(withFittingStep("count() by service, time(1m)", hours(24 * 7))).toBe("count() by service, time(3h)");
  expect(withFittingStep("count() by service", hours(24 * 7))).toBe("count() by service");
});

it("counts time buckets as the API does, which begin at whole seconds", () => {
  const from = (start: bigint) => ({ start, end: start + 999_500_000_000n });
  expect(withFittingStep("count() by time(1s)", from(START))).toBe("count() by time(1s)");
  expect(withFittingStep("count() by time(1s)", from(START + 500_000_000n))).toBe("count() by time(1s)");
  expect(withFittingStep("count() by time(1s)", from(START + 900_000_000n))).toBe("count() by time(15s)");
});

it("widens time buckets only, not the same text in quotes, in expressions and in conditions", () => {
  const week = hours(24 * 7);
  const plain = 'count_if(body:"time(1s)") by "time(1s)"';
  expect(withFittingStep(plain, week)).toBe(plain);
  expect(withFittingStep(`${plain}, time( 1m ) | limit 5`, week)).toBe(`${plain}, time(3h) | limit 5`);
  const expression = "count_if(body:/time(1s)/ OR time(1s)), count() by uptime";
  expect(withFittingStep(`${expression}, time(1s)`, week)).toBe(`${expression}, time(3h)`);
});

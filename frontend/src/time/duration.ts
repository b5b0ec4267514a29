import type { Nanoseconds } from "./nanoseconds";
import { NS_PER_SECOND } from "./nanoseconds";

const UNIT_SECONDS: Record<string, bigint> = { s: 1n, m: 60n, h: 3600n, d: 86_400n, w: 604_800n };
const LONGEST = 3660n * 86_400n * NS_PER_SECOND;

/** Reads "90m", "1h30m" or "2d". Null for text that is empty, zero, has an unknown unit or is longer than ten years. */
export function parseDuration(text: string): Nanoseconds | null {
  const compact = text.trim().toLowerCase().replaceAll(/\s+/g, "");
  if (!/^(\d{1,9}[smhdw])+$/.test(compact)) return null;
  let total = 0n;
  for (const [, count = "0", unit = "s"] of compact.matchAll(/(\d+)([smhdw])/g)) {
    total += BigInt(count) * (UNIT_SECONDS[unit] ?? 0n) * NS_PER_SECOND;
  }
  return total > 0n && total <= LONGEST ? total : null;
}

/** Writes "90m" as "90 minutes", "1h30m" as "1 hour 30 minutes". */
export function describeDuration(text: string): string {
  const names: Record<string, string> = { s: "second", m: "minute", h: "hour", d: "day", w: "week" };
  return [...text.toLowerCase().matchAll(/(\d+)([smhdw])/g)]
    .map(([, count = "", unit = ""]) => `${count} ${names[unit] ?? unit}${count === "1" ? "" : "s"}`)
    .join(" ");
}

const SHORT_UNITS: readonly [string, number][] = [
  ["d", 86_400e9],
  ["h", 3600e9],
  ["m", 60e9],
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

/** Writes a duration in its largest fitting unit, with at most one digit after the point: "30 s", "1.5 h". */
export function formatInterval(interval: Nanoseconds): string {
  const value = Number(interval);
  for (const [unit, size] of SHORT_UNITS) {
    if (value >= size) return `${Number((value / size).toFixed(1))} ${unit}`;
  }
  return "0 s";
}

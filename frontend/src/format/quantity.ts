const COUNT = new Intl.NumberFormat("en-US");
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** Writes 1234567 as "1,234,567". */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Writes 1234567 as "1.2M". */
export function formatCompact(count: number): string {
  return COMPACT.format(count);
}

/** Writes bytes in decimal units with at most three significant digits: "34.2 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? "B"}`;
}

/** Writes a duration as "43 ms" or "1.25 s". */
export function formatElapsed(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 1000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}

/** Writes a number with its noun: "1 log", "2 logs". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

import type { StatsCell } from "../api/types";
import { numberIn } from "./statsRows";

const PRECISE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SMALL = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });
/** Numbers below this are written with three significant digits. */
const SMALL_BELOW = 0.1;

const INTEGER = /^-?\d+$/;

/** Writes a function's value: "1,234.568", "0.00123", "–" for no number. Very large integers keep all digits. */
export function cellText(cell: StatsCell | undefined): string {
  if (typeof cell === "string" && INTEGER.test(cell)) return PRECISE.format(BigInt(cell));
  const value = numberIn(cell);
  if (value === null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return (value !== 0 && Math.abs(value) < SMALL_BELOW ? SMALL : PRECISE).format(value);
}

/** Writes a value for an axis or a large number: "1.235M". */
export function shortText(value: number): string {
  return Math.abs(value) < SMALL_BELOW && value !== 0 ? SMALL.format(value) : COMPACT.format(value);
}

import type { StatsCell } from "../api/types";
import { numberIn } from "./statsRows";

const PRECISE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SMALL = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 4 });
const EXTREME = new Intl.NumberFormat("en-US", { notation: "scientific", maximumSignificantDigits: 4 });
/** Numbers below this are written with an exponent, because they have too many digits. */
const EXTREME_BELOW = 1e-9;
/** Numbers from this on are written with an exponent. */
const EXTREME_FROM = 1e21;
/** Numbers from this on are written with an exponent on axes. The largest unit there is "T", 1e12. */
const EXTREME_COMPACT_FROM = 1e16;
/** Numbers below this are written with three significant digits. */
const SMALL_BELOW = 0.1;

const INTEGER = /^-?\d+$/;

/** Writes a function's value: "1,234.568", "0.00123", "–" for no number. Very large integers keep all digits. */
export function cellText(cell: StatsCell | undefined): string {
  if (typeof cell === "string" && INTEGER.test(cell)) return PRECISE.format(BigInt(cell));
  const value = numberIn(cell);
  if (value === null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return formatFor(value, PRECISE, EXTREME_FROM).format(value);
}

/** Writes a value for an axis or a large number: "1.235M". */
export function shortText(value: number): string {
  return formatFor(value, COMPACT, EXTREME_COMPACT_FROM).format(value);
}

/** Returns the format for a finite number. It is `usual` from SMALL_BELOW, inclusive, to `extreme`, exclusive. */
function formatFor(value: number, usual: Intl.NumberFormat, extreme: number): Intl.NumberFormat {
  const size = Math.abs(value);
  if (size >= extreme || (size < EXTREME_BELOW && size > 0)) return EXTREME;
  return size < SMALL_BELOW && size > 0 ? SMALL : usual;
}

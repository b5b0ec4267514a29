import type { Severity } from "../severity/severity";

/** Severities that the chart leaves out. */
export type HiddenSeries = ReadonlySet<Severity>;

export const NONE_HIDDEN: HiddenSeries = new Set();

/** Returns the set with this severity hidden, or shown where it was hidden. The last one that is shown shows all again. */
export function toggleSeries(
  hidden: HiddenSeries,
  all: readonly Severity[],
  severity: Severity,
): HiddenSeries {
  const next = new Set(hidden);
  if (!next.delete(severity)) next.add(severity);
  return all.every((each) => next.has(each)) ? NONE_HIDDEN : next;
}

/** Returns the set that leaves only this severity, or none hidden where only this severity was shown. */
export function onlySeries(hidden: HiddenSeries, all: readonly Severity[], severity: Severity): HiddenSeries {
  const others = all.filter((each) => each !== severity);
  const isOnly = !hidden.has(severity) && others.every((each) => hidden.has(each));
  return isOnly ? NONE_HIDDEN : new Set(others);
}

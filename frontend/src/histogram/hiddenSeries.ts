/** Ids of the series that the chart leaves out. */
export type HiddenSeries = ReadonlySet<string>;

export const NONE_HIDDEN: HiddenSeries = new Set();

/** Returns the set with this series hidden, or shown where it was hidden. The last one that is shown shows all again. */
export function toggleSeries(hidden: HiddenSeries, all: readonly string[], id: string): HiddenSeries {
  const next = new Set(hidden);
  if (!next.delete(id)) next.add(id);
  return all.every((each) => next.has(each)) ? NONE_HIDDEN : next;
}

/** Returns the set that leaves only this series, or none hidden where only this series was shown. */
export function onlySeries(hidden: HiddenSeries, all: readonly string[], id: string): HiddenSeries {
  const others = all.filter((each) => each !== id);
  const isOnly = !hidden.has(id) && others.every((each) => hidden.has(each));
  return isOnly ? NONE_HIDDEN : new Set(others);
}

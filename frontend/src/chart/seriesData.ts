import type { StatsAnswer } from "../api/types";
import { parseRfc3339, toMilliseconds } from "../time/nanoseconds";
import { SERIES } from "./statsForm";
import { groupFields, groupText, numberIn, type RowKind } from "./statsRows";

/** One line of a chart, or one colour of its bars. `values` has null for a bucket without a number. */
export interface DrawnSeries {
  readonly id: string;
  readonly label: string;
  /** The design token of its colour. */
  readonly token: `--${string}`;
  readonly kind: RowKind;
  readonly group: readonly (string | null)[];
  readonly values: readonly (number | null)[];
}

/** One function of an answer over time. `starts` are the buckets' in milliseconds. */
export interface SeriesData {
  readonly starts: readonly number[];
  readonly series: readonly DrawnSeries[];
  /** Number of groups that are not drawn, because there are no more colours. */
  readonly left: number;
}

/** Returns one function's series: the first groups, as many as there are colours, and `other`. */
export function toSeries(answer: StatsAnswer, place: number): SeriesData {
  const fields = groupFields(answer);
  const groups = answer.series.filter(({ kind }) => kind === "group");
  const drawn = [...groups.slice(0, SERIES), ...answer.series.filter(({ kind }) => kind === "other")];
  const series = drawn.map(
    ({ kind, group, values }, number): DrawnSeries => ({
      id: JSON.stringify([kind, ...group]),
      label: groupText(kind, group, fields),
      token: kind === "other" ? "--series-other" : `--series-${number + 1}`,
      kind,
      group,
      values: (values[place] ?? []).map(drawable),
    }),
  );
  const starts = answer.buckets.map((start) => {
    const time = parseRfc3339(start);
    if (time === null) throw new Error(`the numbers have a bucket that starts at ${start}`);
    return toMilliseconds(time);
  });
  return { starts, series, left: groups.length - Math.min(groups.length, SERIES) };
}

function drawable(cell: Parameters<typeof numberIn>[0]): number | null {
  const value = numberIn(cell);
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Returns the tops of stacked bars: each series' own values and those of all series before it. */
export function stacked(series: readonly DrawnSeries[]): (number | null)[][] {
  const below: number[] = [];
  return series.map(({ values }) =>
    values.map((value, place) => {
      below[place] = (below[place] ?? 0) + (value ?? 0);
      return value === null || value === 0 ? null : (below[place] ?? 0);
    }),
  );
}

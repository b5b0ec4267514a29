import type { StatsAnswer } from "../api/types";
import { parseRfc3339, toMilliseconds } from "../time/nanoseconds";
import { SERIES } from "./statsForm";
import { groupFields, groupText, numberIn, type RowKind } from "./statsRows";

/**
 * One line of a chart, or the bars of one colour. `values` has one number for each bucket; null stands for no number.
 */
export interface DrawnSeries {
  readonly id: string;
  readonly label: string;
  /** The design token of its colour. */
  readonly token: `--${string}`;
  readonly kind: RowKind;
  readonly group: readonly (string | null)[];
  readonly values: readonly (number | null)[];
}

/** One function of an answer over time. `starts` has the start of each bucket in milliseconds since the Unix epoch. */
export interface SeriesData {
  readonly starts: readonly number[];
  readonly series: readonly DrawnSeries[];
  /** Number of groups that are not drawn because all colours are used. */
  readonly left: number;
}

/**
 * Returns the series of one function: one for each of the first groups, until all colours are used, and one for
 * `other`. Groups without a number come last, because they have nothing to draw.
 */
export function toSeries(answer: StatsAnswer, place: number): SeriesData {
  const fields = groupFields(answer);
  const hasNumber = ({ values }: StatsAnswer["series"][number]) =>
    values[place]?.some((value) => drawable(value) !== null) ?? false;
  const found = answer.series.filter(({ kind }) => kind === "group");
  const groups = [...found.filter(hasNumber), ...found.filter((each) => !hasNumber(each))];
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

/** Returns the heights at which stacked bars end: the values of a series plus the values of all series before it. */
export function stacked(series: readonly DrawnSeries[]): (number | null)[][] {
  const below: number[] = [];
  return series.map(({ values }) =>
    values.map((value, place) => {
      below[place] = (below[place] ?? 0) + (value ?? 0);
      return value === null || value === 0 ? null : (below[place] ?? 0);
    }),
  );
}

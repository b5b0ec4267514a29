import type { StatsAnswer } from "../api/types";
import { SERIES } from "../language/statsForm";
import { parseRfc3339, toMilliseconds } from "../time/nanoseconds";
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
  /** Number of groups without a colour of their own, because all colours are used. */
  readonly left: number;
}

/**
 * Returns the series of one function: one for each of the first groups, until all colours are used, and one for
 * `other`. With `isJoined`, `other` also has the sums of the groups without a colour; otherwise they are in no series.
 * Groups without a number come last, because they have nothing to draw.
 */
export function toSeries(answer: StatsAnswer, place: number, isJoined: boolean): SeriesData {
  const fields = groupFields(answer);
  const hasNumber = ({ values }: StatsAnswer["series"][number]) =>
    values[place]?.some((value) => drawable(value) !== null) ?? false;
  const found = answer.series.filter(({ kind }) => kind === "group");
  const groups = [...found.filter(hasNumber), ...found.filter((each) => !hasNumber(each))];
  const rest = [
    ...answer.series.filter(({ kind }) => kind === "other"),
    ...(isJoined ? groups.slice(SERIES) : []),
  ];
  const numbers = ({ values }: StatsAnswer["series"][number]) => (values[place] ?? []).map(drawable);
  const series = groups.slice(0, SERIES).map(
    (each, index): DrawnSeries => ({
      id: JSON.stringify([each.kind, ...each.group]),
      label: groupText(each.kind, each.group, fields),
      token: `--series-${index + 1}`,
      kind: each.kind,
      group: each.group,
      values: numbers(each),
    }),
  );
  if (rest.length > 0) {
    const rows = rest.map(numbers);
    series.push({
      id: "other",
      label: groupText("other", [], fields),
      token: "--series-other",
      kind: "other",
      group: [],
      values: answer.buckets.map((_, bucket) => sum(rows.map((row) => row[bucket] ?? null))),
    });
  }
  const starts = answer.buckets.map((start) => {
    const time = parseRfc3339(start);
    if (time === null) throw new Error(`the numbers have a bucket that starts at ${start}`);
    return toMilliseconds(time);
  });
  return { starts, series, left: groups.length - Math.min(groups.length, SERIES) };
}

/** Returns the sum of the numbers among the values; null if there is none. */
function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (value === null ? total : (total ?? 0) + value), null);
}

function drawable(cell: Parameters<typeof numberIn>[0]): number | null {
  const value = numberIn(cell);
  return value !== null && Number.isFinite(value) ? value : null;
}

/**
 * Returns the heights at which stacked bars end: the value of a series plus the values with the same sign of all series
 * before it. Negative values make a stack of their own below 0.
 */
export function stacked(series: readonly Pick<DrawnSeries, "values">[]): (number | null)[][] {
  const above: number[] = [];
  const below: number[] = [];
  return series.map(({ values }) =>
    values.map((value, place) => {
      if (value === null || value === 0) return null;
      const sums = value > 0 ? above : below;
      const end = (sums[place] ?? 0) + value;
      sums[place] = end;
      return end;
    }),
  );
}

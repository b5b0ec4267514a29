import type { HistogramAnswer } from "../api/types";
import type { Severity } from "../severity/severity";
import { SEVERITIES } from "../severity/severity";
import { visibleText } from "../text/signs";

/** One colour of the chart: a severity, a value of the field, all its other values, or the logs without the field. */
export interface ChartSeries {
  /** Key of the series. Series of other fields have other keys. */
  readonly id: string;
  readonly label: string;
  /** The design token of the series' colour. */
  readonly token: `--${string}`;
  readonly total: number;
  /** The severity, null for a series of another field. */
  readonly severity: Severity | null;
}

/** A series with its count in each bucket. */
export interface CountedSeries extends ChartSeries {
  readonly counts: readonly number[];
}

const MAX_SEVERE_FIRST = SEVERITIES.toReversed();

/** Returns the series of an answer that have logs, in the order in which they are stacked from the axis up. */
export function seriesOf(answer: HistogramAnswer): CountedSeries[] {
  const { by, buckets, series } = answer;
  if (by === null) {
    return MAX_SEVERE_FIRST.map((severity): CountedSeries => {
      const counts = buckets.map(({ by_severity: found }) =>
        Object.hasOwn(found, severity) ? (found[severity] ?? 0) : 0,
      );
      const total = counts.reduce((sum, count) => sum + count, 0);
      return { id: severity, label: severity, token: `--severity-${severity}`, total, counts, severity };
    }).filter(({ total }) => total > 0);
  }
  return series.map(({ kind, value, total, counts }, place): CountedSeries => {
    const own = { total, counts, severity: null };
    if (kind === "other")
      return { id: `${by} other`, label: "other values", token: "--series-other", ...own };
    if (kind === "absent") {
      return { id: `${by} absent`, label: `no ${visibleText(by)}`, token: "--series-absent", ...own };
    }
    const label = value === "" ? "(empty)" : visibleText(value ?? "");
    return { id: `${by}:${value}`, label, token: `--series-${place + 1}`, ...own };
  });
}

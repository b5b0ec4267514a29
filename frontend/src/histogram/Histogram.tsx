import { memo, useMemo, useState } from "react";
import type { ApiProblem } from "../api/problem";
import { sentence } from "../api/problem";
import type { FieldCount, HistogramAnswer } from "../api/types";
import { formatCount } from "../format/quantity";
import { AddToDashboard } from "../panels/AddToDashboard";
import { type Preferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { formatInterval } from "../time/duration";
import type { TimeWindow } from "../time/timeExpression";
import { RetryButton } from "../ui/RetryButton";
import type { SearchState } from "../url/searchState";
import { BreakdownMenu } from "./BreakdownMenu";
import { ChartTools } from "./ChartTools";
import { toChartData, withoutSeries } from "./chartData";
import { CHART_HEIGHTS } from "./chartOptions";
import styles from "./Histogram.module.css";
import { HistogramTable } from "./HistogramTable";
import { NONE_HIDDEN } from "./hiddenSeries";
import { SeriesLegend } from "./SeriesLegend";
import { VolumeChart } from "./VolumeChart";

interface HistogramProps {
  /** True when the range contains no time, so that nothing is counted. */
  readonly isRangeEmpty: boolean;
  /** Text beside the chart that says what is counted; null if the page says so elsewhere. */
  readonly note: string | null;
  /** Counts with their window; undefined before the first answer. */
  readonly counted: { readonly window: TimeWindow; readonly answer: HistogramAnswer } | undefined;
  /** True while these counts belong to the previous search. */
  readonly isStale: boolean;
  readonly problem: ApiProblem | null;
  /** True when the results already show the failure. */
  readonly isExplained: boolean;
  /** The field whose values the bars are stacked by, null for severities. */
  readonly by: string | null;
  /** The fields to choose from. */
  readonly fields: readonly FieldCount[];
  /** Returns the search that shows these counts as a panel of a dashboard; null without counts. */
  readonly panel: () => SearchState | null;
  readonly onBy: (by: string | null) => void;
  readonly onSelect: (window: TimeWindow) => void;
  readonly onZoomOut: () => void;
}

export const Histogram = memo(function Histogram({
  note,
  isRangeEmpty,
  counted,
  isStale,
  problem,
  isExplained,
  by,
  fields,
  panel,
  onBy,
  onSelect,
  onZoomOut,
}: HistogramProps) {
  const data = useMemo(
    () => (counted === undefined ? null : toChartData(counted.answer, counted.window)),
    [counted],
  );
  const { chartHeight } = usePreferences();
  const [hidden, setHidden] = useState(NONE_HIDDEN);
  const drawn = useMemo(() => (data === null ? null : withoutSeries(data, hidden)), [data, hidden]);
  const shown = problem === null && !isRangeEmpty ? data : null;
  return (
    <section
      className={styles.histogram}
      aria-label="Logs over time"
      aria-busy={isStale && !isRangeEmpty}
      data-testid={testIds.histogram}
    >
      <div className={styles.head}>
        <h2 className={styles.total} aria-live="polite">
          <strong data-testid={testIds.histogramTotal}>
            {shown === null ? "–" : formatCount(shown.total)}
          </strong>{" "}
          {shown?.total === 1 ? "log" : "logs"}
        </h2>
        {shown !== null && <SeriesLegend data={shown} hidden={hidden} onChange={setHidden} />}
        <span className={styles.tools}>
          {note !== null && <span className={styles.interval}>{note}</span>}
          {shown !== null && (
            <span className={`${styles.interval} ${styles.width}`}>
              {formatInterval(shown.interval)} per bar
            </span>
          )}
          <BreakdownMenu by={by} fields={fields} onChoose={onBy} />
          {shown !== null && <AddToDashboard chart={panel} />}
          <ChartTools onZoomOut={onZoomOut} />
        </span>
      </div>
      <div className={styles.body} style={heightOf(chartHeight)} data-stale={isStale}>
        {isRangeEmpty && (
          <div className={styles.problem}>
            <p>No counts: the time range is empty.</p>
          </div>
        )}
        {problem !== null && !isRangeEmpty && (
          <div className={styles.problem}>
            <p>
              {isExplained
                ? "No counts for this search."
                : `No counts: ${visibleText(sentence(problem.message))}`}
            </p>
            {!isExplained && <RetryButton data-testid={testIds.histogramRetry} />}
          </div>
        )}
        {problem === null && shown === null && !isRangeEmpty && <div className={styles.placeholder} />}
        {shown !== null && drawn !== null && (
          <>
            <VolumeChart data={drawn} onSelect={onSelect} />
            <HistogramTable data={shown} />
          </>
        )}
      </div>
    </section>
  );
});

/** Returns the style that keeps the chart's place while it has no data. */
function heightOf(chartHeight: Preferences["chartHeight"]): React.CSSProperties {
  const style = { "--chart-height": `${CHART_HEIGHTS[chartHeight]}px` };
  return style as React.CSSProperties;
}

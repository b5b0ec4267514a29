import { useMemo } from "react";
import type { StatsAnswer } from "../api/types";
import { plural } from "../format/quantity";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import type { TimeWindow } from "../time/timeExpression";
import type { ChartKind } from "../url/chartKind";
import styles from "./Chart.module.css";
import { addsUp } from "./chartKinds";
import { MAX_SHOWN, NumberTable } from "./NumberTable";
import type { OpenGroup } from "./openGroup";
import { SeriesChart } from "./SeriesChart";
import { SingleNumbers } from "./SingleNumbers";
import { toSeries } from "./seriesData";
import { toTable } from "./statsRows";
import { TopList } from "./TopList";

interface ChartViewProps {
  readonly answer: StatsAnswer;
  readonly window: TimeWindow;
  readonly kind: ChartKind;
  /** Index of the function that is drawn. */
  readonly place: number;
  readonly onOpen: OpenGroup;
  readonly onSelect: (window: TimeWindow) => void;
}

/** Draws an answer as the given kind of chart, and says below it what the chart leaves out. */
export function ChartView({ answer, window, kind, place, onOpen, onSelect }: ChartViewProps) {
  const table = useMemo(() => toTable(answer), [answer]);
  const series = useMemo(() => toSeries(answer, place, addsUp(answer, place)), [answer, place]);
  const isOverTime = kind === "lines" || kind === "bars";
  const name = visibleText(table.functions[place]?.name ?? "");
  const notes = [
    ...(isOverTime && series.left > 0
      ? [
          addsUp(answer, place)
            ? `${plural(series.left, "further group")} drawn together as other: the table has their numbers`
            : `${plural(series.left, "further group")} shown only in the table`,
        ]
      : []),
    ...(kind === "table" && table.rows.length > MAX_SHOWN
      ? [`the first ${MAX_SHOWN} of ${plural(table.rows.length, "row")}: export the numbers to see all rows`]
      : []),
    ...(answer.left_out === null ? [] : [answer.left_out.replaceAll("`", "")]),
  ];
  const isEmpty = table.rows.length === 0;
  return (
    <>
      {isEmpty && <p className={styles.note}>No logs match, so there are no groups.</p>}
      {!isEmpty && isOverTime && (
        <SeriesChart
          name={`${name} over time. The table has its numbers.`}
          data={series}
          window={window}
          isStacked={kind === "bars"}
          onOpen={onOpen}
          onSelect={onSelect}
        />
      )}
      {!isEmpty && kind === "top" && <TopList table={table} place={place} onOpen={onOpen} />}
      {!isEmpty && kind === "table" && <NumberTable table={table} onOpen={onOpen} />}
      {kind === "number" && <SingleNumbers table={table} />}
      {notes.length > 0 && (
        <p className={styles.left} data-testid={testIds.chartNote}>
          {notes
            .map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`.replace(/\.\.$/, "."))
            .join(" ")}
        </p>
      )}
    </>
  );
}

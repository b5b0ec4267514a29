import { useEffect, useMemo, useState } from "react";
import { asProblem, sentence } from "../api/problem";
import type { AlertMembers, StatsAnswer } from "../api/types";
import { SeriesChart } from "../chart/SeriesChart";
import { toSeries } from "../chart/seriesData";
import { useStats } from "../chart/useStats";
import { plural } from "../format/quantity";
import { testIds } from "../testIds";
import { fromMilliseconds, NS_PER_SECOND } from "../time/nanoseconds";
import { nowMs } from "../time/serverClock";
import type { TimeWindow } from "../time/timeExpression";
import styles from "./AlertForm.module.css";
import { secondsText } from "./alertText";
import { previewQuery, previewWindow } from "./previewStats";

/** Milliseconds without a change after which the numbers are read. */
const PAUSE_MS = 600;
const DEFAULT_RANGE_SECONDS = 300;

type Previewed = Pick<AlertMembers, "query" | "range_seconds" | "condition">;

/** A rule's numbers over the last hours, with its threshold. Each point is the number of one whole range. */
export function AlertPreview({ rule }: { rule: Previewed }) {
  const [now] = useState(() => fromMilliseconds(nowMs()));
  const { query, rangeSeconds } = useSettled(rule);
  const text = previewQuery(query, rangeSeconds);
  const window = useMemo(() => previewWindow(rangeSeconds, now), [rangeSeconds, now]);
  const { data, error, isFetching, isPlaceholderData } = useStats(text ?? "", window, text !== null);
  const present = previewQuery(rule.query, rule.range_seconds ?? DEFAULT_RANGE_SECONDS);
  const answer = text === null || error !== null ? undefined : data?.answer;
  const place = answer === undefined ? -1 : placeOf(answer, rule.condition.column);
  return (
    <section className={styles.preview} aria-label="Preview" aria-busy={isFetching}>
      {answer !== undefined && data !== undefined && place >= 0 ? (
        <Numbers
          answer={answer}
          window={data.window}
          place={place}
          threshold={rule.condition.threshold ?? null}
          isEarlier={isPlaceholderData}
        />
      ) : (
        <p>{absenceText(text, error, data?.text === present, rule.condition.column)}</p>
      )}
    </section>
  );
}

/** Says why there is no preview. `isAnswered` is true if the API has answered the present query of the rule. */
function absenceText(text: string | null, error: unknown, isAnswered: boolean, column: string): string {
  if (text === null) return "The preview needs a query with | stats.";
  if (error !== null) return sentence(asProblem(error).message);
  return isAnswered ? `The query has no function ${column}.` : "Computing…";
}

interface NumbersProps {
  readonly answer: StatsAnswer;
  readonly window: TimeWindow;
  /** Index of the function in the condition. */
  readonly place: number;
  readonly threshold: number | null;
  /** True while the numbers of the changed rule are computed, and those before the change are shown. */
  readonly isEarlier: boolean;
}

function Numbers({ answer, window, place, threshold, isEarlier }: NumbersProps) {
  // A rule compares the number of each group with its threshold, never a sum of groups.
  const data = useMemo(() => toSeries(answer, place, false), [answer, place]);
  const column = answer.columns.filter(({ kind }) => kind === "function")[place];
  const name = `${column?.name ?? ""}${column?.unit ? ` (${column.unit})` : ""}`;
  const time = secondsText(Number((window.end - window.start) / NS_PER_SECOND));
  const range = secondsText(Number(answer.interval_ns ?? 0) / Number(NS_PER_SECOND));
  const line = threshold === null ? "" : ` The dashed line is the threshold, ${threshold}.`;
  const left = data.left > 0 ? ` ${plural(data.left, "further group")} not drawn.` : "";
  return (
    <div data-testid={testIds.alertPreview}>
      <SeriesChart
        name={`${name} over the last ${time}.${line}`}
        data={data}
        window={window}
        isStacked={false}
        threshold={threshold}
      />
      <p>
        {isEarlier && "Computing. Before the last change: "}
        {name} in each {range} of the last {time}.{line}
        {left}
      </p>
    </div>
  );
}

function placeOf({ columns }: StatsAnswer, name: string): number {
  return columns.filter(({ kind }) => kind === "function").findIndex((each) => each.name === name);
}

/** Returns the query and range of a rule once they have not changed for PAUSE_MS; the first ones at once. */
function useSettled({ query, range_seconds: rangeSeconds = DEFAULT_RANGE_SECONDS }: Previewed) {
  const [settled, setSettled] = useState({ query, rangeSeconds });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ query, rangeSeconds }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query, rangeSeconds]);
  return settled;
}

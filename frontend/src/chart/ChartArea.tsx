import { useMemo, useRef, useState } from "react";
import { type ApiProblem, asProblem } from "../api/problem";
import { formatBytes, formatCompact, formatElapsed } from "../format/quantity";
import { AddToDashboard } from "../panels/AddToDashboard";
import { CancelledNote } from "../results/AboveResults";
import type { AreaProps } from "../results/areaProps";
import { ResultToolbar } from "../results/ResultToolbar";
import toolbarStyles from "../results/ResultToolbar.module.css";
import { useCancel } from "../results/useCancel";
import { testIds } from "../testIds";
import { absoluteRange } from "../time/timeExpression";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Failure";
import type { ChartKind } from "../url/chartKind";
import styles from "./Chart.module.css";
import { ChartExport } from "./ChartExport";
import { ChartView } from "./ChartView";
import { drawsOne, kindOf, kindsOf } from "./chartKinds";
import { FunctionChoice } from "./FunctionChoice";
import { withFittingStep } from "./fittingStep";
import { narrowedTo } from "./openGroup";
import { StatsBuilder } from "./StatsBuilder";
import { groupFields } from "./statsRows";
import { STATS, type useStats } from "./useStats";

interface ChartAreaProps extends AreaProps {
  readonly found: ReturnType<typeof useStats>;
  /** Names of fields to suggest. */
  readonly fields: readonly string[];
}

const KIND_NAMES: Record<ChartKind, string> = {
  lines: "Lines",
  bars: "Bars",
  top: "Top list",
  table: "Table",
  number: "Number",
};

/** Shows numbers over the matching logs, and the form that changes the text after `| stats`. */
export default function ChartArea(props: ChartAreaProps) {
  const { state, window, found, onRun } = props;
  const { data, error, isFetching, isPlaceholderData } = found;
  const area = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const { cancel, isCancelled } = useCancel(STATS, found);
  const problem = error === null ? null : asProblem(error);
  const answer = problem === null ? data?.answer : undefined;
  const functions = useMemo(() => answer?.columns.filter(({ kind }) => kind === "function") ?? [], [answer]);
  const place = chosen < functions.length ? chosen : 0;
  const kind = answer === undefined ? null : kindOf(answer, state.chart, place);
  return (
    <div className={styles.area} ref={area} data-testid={testIds.chart} aria-busy={isFetching}>
      <ResultToolbar
        {...props}
        running={isFetching ? "Computing" : null}
        onCancel={cancel}
        controls={
          answer !== undefined &&
          kindsOf(answer, place).map((each) => (
            <Button
              key={each}
              size="small"
              tone="ghost"
              pressed={each === kind}
              data-testid={testIds.chartKind}
              onClick={() => props.change({ chart: each }, "replace")}
            >
              {KIND_NAMES[each]}
            </Button>
          ))
        }
      >
        {answer !== undefined && !isPlaceholderData && (
          <span className={toolbarStyles.stats}>
            {formatElapsed(answer.cost.elapsed_ms)} · {formatCompact(answer.cost.rows_read)} rows,{" "}
            {formatBytes(answer.cost.bytes_read)} read
          </span>
        )}
        {answer !== undefined && (
          <span className={styles.actions}>
            <AddToDashboard
              chart={() => state}
              caption={<span className={toolbarStyles.caption}>Add to dashboard</span>}
            />
            <ChartExport answer={answer} canvas={() => area.current?.querySelector("canvas") ?? null} />
          </span>
        )}
      </ResultToolbar>
      {window !== null && (
        <StatsBuilder
          text={state.stats}
          window={window}
          fields={props.fields}
          onText={(stats) => onRun({ stats })}
        />
      )}
      {kind !== null && drawsOne(kind) && functions.length > 1 && (
        <FunctionChoice functions={functions} place={place} onChoose={setChosen} />
      )}
      {window === null && <p className={styles.note}>{EMPTY_RANGE}</p>}
      {window !== null && problem !== null && (
        <Refusal
          problem={problem}
          fitting={withFittingStep(state.stats, window)}
          text={state.stats}
          onText={(stats) => onRun({ stats })}
          onRetry={() => void found.refetch()}
        />
      )}
      {window !== null && isCancelled && <CancelledNote onResume={() => void found.refetch()} />}
      {isFetching && data === undefined && <p className={styles.note}>Computing…</p>}
      {answer !== undefined && data !== undefined && kind !== null && (
        <div className={styles.body} data-stale={isPlaceholderData && !props.isQuiet}>
          <ChartView
            answer={answer}
            window={data.window}
            kind={kind}
            place={place}
            onOpen={(group) =>
              onRun({ mode: "logs", query: narrowedTo(state.query, groupFields(answer), group) })
            }
            onSelect={(selected) => onRun(absoluteRange(selected))}
          />
        </div>
      )}
    </div>
  );
}

interface RefusalProps {
  readonly problem: ApiProblem;
  readonly text: string;
  /** The text with wider time buckets if the range has too many buckets; otherwise equal to `text`. */
  readonly fitting: string;
  readonly onText: (text: string) => void;
  readonly onRetry: () => void;
}

/** Shows why there are no numbers, and what to do. The query bar explains errors in the query text. */
function Refusal({ problem, text, fitting, onText, onRetry }: RefusalProps) {
  if (problem.isAboutQuery) return <p className={styles.note}>Correct the query above to see numbers.</p>;
  return (
    <div className={styles.note}>
      <Failure problem={problem} onRetry={onRetry} />
      {fitting !== text && (
        <Button tone="primary" data-testid={testIds.chartFit} onClick={() => onText(fitting)}>
          Use wider time buckets: {fitting}
        </Button>
      )}
    </div>
  );
}

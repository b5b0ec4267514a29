import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { asProblem } from "../api/problem";
import type { View } from "../api/types";
import { ChartView } from "../chart/ChartView";
import { drawsOne, kindOf } from "../chart/chartKinds";
import { FunctionChoice } from "../chart/FunctionChoice";
import { withFittingStep } from "../chart/fittingStep";
import { narrowedTo } from "../chart/openGroup";
import { groupFields } from "../chart/statsRows";
import { useStats } from "../chart/useStats";
import { joinStats } from "../language/statsStage";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { absoluteRange } from "../time/timeExpression";
import { Failure } from "../ui/Failure";
import { DEFAULT_STATE } from "../url/searchState";
import { stateOf } from "../views/viewState";
import styles from "./Panel.module.css";
import { PanelProgress } from "./PanelProgress";
import { whenFree } from "./whenFree";

export interface PanelBodyProps {
  readonly view: View;
  readonly range: TimeRange;
  /** The range with fixed times; null if it is empty. */
  readonly window: TimeWindow | null;
  /** True while the panel is on the screen. It sends no request before. */
  readonly isOn: boolean;
  readonly onRange: (range: TimeRange) => void;
}

/**
 * Shows the numbers of a view with `| stats` as the kind of chart that the view names. Uses wider time buckets if the
 * range has too many.
 */
export function NumbersPanel({ view, range, window, isOn, onRange }: PanelBodyProps) {
  const navigate = useNavigate();
  const state = stateOf(view);
  const stats = window === null ? state.stats : withFittingStep(state.stats, window);
  const found = useStats(joinStats(state.query, stats), window, isOn, whenFree);
  const [chosen, setChosen] = useState(0);
  const { data, error, isFetching, isPlaceholderData } = found;
  if (error !== null) return <Failure problem={asProblem(error)} onRetry={() => void found.refetch()} />;
  const functions = data?.answer.columns.filter((column) => column.kind === "function") ?? [];
  const place = chosen < functions.length ? chosen : 0;
  const kind = data === undefined ? null : kindOf(data.answer, view.chart_kind, place);
  return (
    <>
      {isFetching && <PanelProgress label="Computing" />}
      {data === undefined || kind === null ? (
        <p className={styles.note}>Computing…</p>
      ) : (
        <div className={styles.chart} data-kind={kind} data-stale={isPlaceholderData}>
          {drawsOne(kind) && functions.length > 1 && (
            <FunctionChoice functions={functions} place={place} onChoose={setChosen} />
          )}
          <ChartView
            answer={data.answer}
            window={data.window}
            kind={kind}
            place={place}
            onOpen={(group) => {
              const query = narrowedTo(state.query, groupFields(data.answer), group);
              void navigate({
                to: "/",
                search: { ...DEFAULT_STATE, ...state, ...range, mode: "logs", query },
              });
            }}
            onSelect={(selected) => onRange(absoluteRange(selected))}
          />
        </div>
      )}
    </>
  );
}

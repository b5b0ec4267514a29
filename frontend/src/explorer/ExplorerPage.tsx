import { useIsFetching } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { asProblem } from "../api/problem";
import { useStats } from "../chart/useStats";
import { ColumnsProvider } from "../columns/ColumnsContext";
import { DetailPanel } from "../detail/DetailPanel";
import { LeaveExport } from "../export/LeaveExport";
import { useExport } from "../export/useExport";
import { FacetPanel } from "../facets/FacetPanel";
import { FieldsDialog } from "../facets/FieldsDialog";
import { useFieldList, useValueLookup } from "../facets/fieldQueries";
import { Histogram } from "../histogram/Histogram";
import { joinStats } from "../language/statsStage";
import { Header } from "../layout/Header";
import { panelOfCounts } from "../panels/panelSearch";
import { usePatterns } from "../patterns/usePatterns";
import { QueryBar } from "../queryBar/QueryBar";
import type { QueryEditorHandle } from "../queryBar/QueryEditor";
import { useKnownFields } from "../queryBar/useKnownFields";
import { type Neighbours, NO_NEIGHBOURS, neighboursOf } from "../results/neighbours";
import { ResultArea } from "../results/ResultArea";
import { TailToggle } from "../tail/TailToggle";
import { useTailRefresh } from "../tail/useTailRefresh";
import { refreshMilliseconds } from "../time/refreshEvery";
import { TimeRangePicker } from "../timeRange/TimeRangePicker";
import { useAutoRefresh } from "../timeRange/useAutoRefresh";
import { useLatest } from "../ui/useLatest";
import { shareLink } from "../url/shareLink";
import { useSearchState } from "../url/useSearchState";
import { ViewsMenu } from "../views/ViewsMenu";
import { isBeyond, useAnchor } from "./anchor";
import styles from "./ExplorerPage.module.css";
import {
  isOfRun,
  useDropEarlierRuns,
  useExplanation,
  useHistogram,
  useMeasurement,
  useRecord,
} from "./searchQueries";
import { useSearchRun } from "./searchRun";
import { usePageTitle } from "./usePageTitle";
import { useReleased } from "./useReleased";
import { useQuietRefresh, useRepeatedSearch } from "./useRepeatedSearch";
import { useRunSearch } from "./useRunSearch";
import { useSearchPages } from "./useSearchPages";

// Loaded when they are first shown, because most searches show only logs.
const ExplainDrawer = lazy(() => import("../explain/ExplainDrawer"));
const ChartArea = lazy(() => import("../chart/ChartArea"));
const PatternArea = lazy(() => import("../patterns/PatternArea"));
const TailArea = lazy(() => import("../tail/TailArea"));

/** Largest number of bars in the chart, so that bars can be distinguished on a phone. */
const bucketCount = () => (window.innerWidth < 700 ? 48 : 120);

export function ExplorerPage() {
  const [state, change] = useSearchState();
  const [tailed, setTailed] = useState<Neighbours>(NO_NEIGHBOURS);
  const [buckets] = useState(bucketCount);
  const { query, stats, order, record: recordId } = state;
  const isChart = state.mode === "chart" && !state.tail;
  const isPatterns = state.mode === "patterns" && !state.tail;
  const isList = !isChart && !isPatterns && !state.tail;
  const editor = useRef<QueryEditorHandle>(null);
  const [searchRun, refresh] = useSearchRun(state);
  const { search, window } = searchRun;
  const [isRepeated, setRepeated] = useRepeatedSearch(search);
  const [anchor, setAnchor] = useAnchor(recordId, searchRun);
  const dropEarlierRuns = useDropEarlierRuns();
  const found = useSearchPages(searchRun, state, anchor.time, isList);
  const { pages, logs } = found;
  const isReleased = useReleased(searchRun.run, !isList || found.hasFirstRows, found.isCancelled);
  const countedWindow = isReleased ? window : null;
  const histogram = useHistogram(query, countedWindow, buckets, state.by);
  const text = joinStats(query, stats);
  const numbers = useStats(text, window, isChart);
  const patterns = usePatterns(query, window, isPatterns);
  const explanation = useExplanation(query, window, order, state.explain);
  const measurement = useMeasurement(query, window, order);
  const { record, error: recordError, retry: retryRecord } = useRecord(recordId, logs);
  useEffect(() => {
    if (record !== undefined && isBeyond(record, anchor.linkedId, found, window)) setAnchor(record);
  });
  const fieldList = useFieldList(query, countedWindow, found.isCancelled);
  const lookUpValues = useValueLookup(window);
  const listedFields = useMemo(() => fieldList.data?.fields ?? [], [fieldList]);
  // Pages of rows arrive many times a second while the list is scrolled. Functions that stay the same let the rest of
  // the page, which does not show rows, be left as it is.
  const fields = useKnownFields(logs, listedFields);
  const exporting = useExport(state, window);
  usePageTitle(state, window);

  const { isQuiet, isCounted } = useQuietRefresh({
    search,
    isRepeated: isRepeated || state.tail,
    mode: state.mode,
    hasResults: isChart ? isAnswered(numbers) : isPatterns ? isAnswered(patterns) : !found.isStale,
    hasCounts: isAnswered(histogram),
  });
  // A refresh aborts running requests, so that numbers that take longer than the interval would never arrive.
  const isBusy = useIsFetching({ predicate: isOfRun }) > 0;
  useAutoRefresh(state.tail ? null : refreshMilliseconds(state.refresh, state), isBusy, () => {
    setRepeated(search);
    dropEarlierRuns();
    refresh();
  });
  const onRepeat = () => {
    setRepeated(null);
    refresh();
  };
  const controls = useRunSearch({ state, change, window, editor, onRepeat });
  const { runWith, edit } = controls;
  const breakDown = useCallback((by: string | null) => change({ by }), [change]);
  const toggleTail = () => {
    refresh();
    runWith({ tail: !state.tail });
  };
  useTailRefresh(state.tail, isBusy, refresh);
  const setColumns = useCallback((columns: string) => change({ columns }, "replace"), [change]);
  const countsPanel = useLatest(() => window && panelOfCounts(state, window));
  const link = useLatest(() => shareLink(globalThis.location.href, state, window, record));

  const failure = isChart ? numbers.error : isPatterns ? patterns.error : pages.error;
  const searchProblem = failure === null ? null : asProblem(failure);
  const isTextAtFault = searchProblem?.isAboutQuery ?? false;
  const area = {
    state,
    window,
    isQuiet,
    change,
    onRun: runWith,
    onMode: controls.showMode,
    onRefresh: controls.runTyped,
  };
  return (
    <ColumnsProvider text={state.columns} onChange={setColumns}>
      <div className={styles.page}>
        <Header title="Search logs" shareLink={link} />
        <div className={styles.controls}>
          <QueryBar
            editor={editor}
            query={text}
            fields={fields}
            lookUpValues={lookUpValues}
            problem={isTextAtFault ? searchProblem : null}
            onRun={controls.run}
          >
            <TimeRangePicker range={state} window={window} onChange={runWith} />
            <FieldsDialog query={query} window={window} list={fieldList} onEdit={edit} />
            <ViewsMenu state={state} typed={controls.typedSearch} onOpen={runWith} />
            <TailToggle isOn={state.tail} onToggle={toggleTail} />
          </QueryBar>
        </div>
        <Histogram
          note={state.tail && state.to !== "now" ? "Counts of the chosen range, not of the live tail" : null}
          isRangeEmpty={window === null}
          counted={histogram.data}
          isStale={histogram.isPlaceholderData && !(isCounted && histogram.data?.by === state.by)}
          problem={histogram.error === null ? null : asProblem(histogram.error)}
          isExplained={searchProblem !== null}
          by={state.by}
          fields={listedFields}
          panel={countsPanel}
          onBy={breakDown}
          onSelect={controls.zoomIn}
          onZoomOut={controls.zoomOut}
        />
        <main className={styles.main} tabIndex={-1}>
          <FacetPanel query={query} window={window} list={fieldList} onEdit={edit} />
          <Suspense>
            {isChart && <ChartArea {...area} found={numbers} fields={listedFields.map(({ name }) => name)} />}
            {isPatterns && <PatternArea {...area} found={patterns} />}
            {state.tail && (
              <TailArea
                key={query}
                query={query}
                openId={recordId}
                onNeighbours={setTailed}
                onOpen={(record, how) => change({ record }, how)}
                onClose={() => recordId !== null && change({ record: null, context: null })}
              />
            )}
          </Suspense>
          {isList && (
            <ResultArea
              {...area}
              found={found}
              problem={searchProblem}
              exporting={exporting}
              total={isCounted ? countOf(histogram.data?.answer.buckets) : null}
              onZoomOut={controls.zoomOut}
            />
          )}
          {recordId !== null && !isChart && !isPatterns && (
            <DetailPanel
              record={record}
              problem={recordError === null ? null : asProblem(recordError)}
              query={query}
              link={link}
              {...(state.tail ? tailed : neighboursOf(logs, recordId))}
              context={state.context}
              onContext={(context) => change({ context }, "replace")}
              onOpenNeighbour={(id) => change({ record: id, context: null })}
              onGo={(id) => change({ record: id }, "replace")}
              onFilter={controls.filter}
              onTerm={controls.addTerm}
              onRetry={() => void retryRecord()}
              onClose={() => change({ record: null, context: null })}
            />
          )}
        </main>
        <LeaveExport isRunning={exporting.bytes !== null} onCancel={exporting.cancel} />
        {state.explain && (
          <Suspense>
            <ExplainDrawer
              explanation={explanation.data}
              problem={explanation.error === null ? null : asProblem(explanation.error)}
              measurement={measurement}
              onRetry={() => void explanation.refetch()}
              onClose={() => change({ explain: false })}
            />
          </Suspense>
        )}
      </div>
    </ColumnsProvider>
  );
}

function isAnswered({ data, isPlaceholderData }: { data: unknown; isPlaceholderData: boolean }): boolean {
  return data !== undefined && !isPlaceholderData;
}

function countOf(buckets: readonly { readonly total: number }[] | undefined): number | null {
  return buckets?.reduce((sum, bucket) => sum + bucket.total, 0) ?? null;
}

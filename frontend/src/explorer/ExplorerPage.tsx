import { useIsFetching } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { asProblem } from "../api/problem";
import { countOverTime, writeStats } from "../chart/statsForm";
import { useStats } from "../chart/useStats";
import { ColumnsProvider } from "../columns/ColumnsContext";
import { panelOfCounts } from "../dashboards/panelSearch";
import { DetailPanel } from "../detail/DetailPanel";
import { LeaveExport } from "../export/LeaveExport";
import { useExport } from "../export/useExport";
import type { EditQuery } from "../facets/FacetField";
import { FacetPanel } from "../facets/FacetPanel";
import { FieldsDialog } from "../facets/FieldsDialog";
import { useFieldList, useValueLookup } from "../facets/fieldQueries";
import { Histogram } from "../histogram/Histogram";
import { addFilter, addTerm, type FilterBy } from "../language/editQuery";
import { joinStats, searchParts, splitStats } from "../language/statsStage";
import { Header } from "../layout/Header";
import { usePatterns } from "../patterns/usePatterns";
import { QueryBar } from "../queryBar/QueryBar";
import type { QueryEditorHandle } from "../queryBar/QueryEditor";
import { useKnownFields } from "../queryBar/useKnownFields";
import { type Neighbours, NO_NEIGHBOURS, neighboursOf } from "../results/neighbours";
import { ResultArea } from "../results/ResultArea";
import { rememberQuery } from "../session/queryHistory";
import { TailToggle } from "../tail/TailToggle";
import { useTailRefresh } from "../tail/useTailRefresh";
import { fromMilliseconds } from "../time/nanoseconds";
import { windowKey } from "../time/queryWindow";
import { refreshMilliseconds } from "../time/refreshEvery";
import { absoluteRange, type TimeWindow, zoomOut } from "../time/timeExpression";
import { TimeRangePicker } from "../timeRange/TimeRangePicker";
import { useLatest } from "../ui/useLatest";
import type { ResultMode, SearchState } from "../url/searchState";
import { shareLink } from "../url/shareLink";
import { useSearchState } from "../url/useSearchState";
import { ViewsMenu } from "../views/ViewsMenu";
import { isBeyond, useAnchor } from "./anchor";
import styles from "./ExplorerPage.module.css";
import { mark } from "./marks";
import { modeAfter } from "./modeAfter";
import {
  isOfRun,
  useDropEarlierRuns,
  useExplanation,
  useHistogram,
  useMeasurement,
  useRecord,
  useSearchPages,
} from "./searchQueries";
import { useAutoRefresh } from "./useAutoRefresh";
import { useFrozenWindow } from "./useFrozenWindow";
import { usePageTitle } from "./usePageTitle";
import { useReleased } from "./useReleased";
import { useIsAnswered, useRepeatedSearch } from "./useRepeatedSearch";

// Loaded when they are first shown, because most searches show only logs.
const ExplainDrawer = lazy(() => import("../explain/ExplainDrawer"));
const ChartArea = lazy(() => import("../chart/ChartArea"));
const PatternArea = lazy(() => import("../patterns/PatternArea"));
const TailArea = lazy(() => import("../tail/TailArea"));

/** Largest number of bars in the chart, so that bars can be distinguished on a phone. */
const bucketCount = () => (window.innerWidth < 700 ? 48 : 120);

export function ExplorerPage() {
  const [state, change] = useSearchState();
  const [refreshes, setRefreshes] = useState(0);
  const [tailed, setTailed] = useState<Neighbours>(NO_NEIGHBOURS);
  const [buckets] = useState(bucketCount);
  const { query, stats, order, record: recordId } = state;
  const isChart = state.mode === "chart" && !state.tail;
  const isPatterns = state.mode === "patterns" && !state.tail;
  const isList = !isChart && !isPatterns && !state.tail;
  const editor = useRef<QueryEditorHandle>(null);
  const window = useFrozenWindow(query, state, refreshes);
  const searched = JSON.stringify([query, order, ...windowKey(window)]);
  const searchKey = JSON.stringify([query, stats, order, state.from, state.to]);
  const [isRepeated, setRepeated] = useRepeatedSearch(searchKey);
  const [anchor, setAnchor] = useAnchor(recordId, { run: searched, search: searchKey, window });
  const dropEarlierRuns = useDropEarlierRuns();
  const found = useSearchPages(query, window, order, anchor.time, isList);
  const { pages, logs } = found;
  const isReleased = useReleased(searched, !isList || found.hasFirstRows, found.isCancelled);
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

  const refresh = () => setRefreshes(refreshes + 1);
  const hasCounts = isAnswered(histogram);
  const isCounted = useIsAnswered(searchKey, hasCounts);
  const isShown = isChart ? isAnswered(numbers) : isPatterns ? isAnswered(patterns) : !found.isStale;
  const isQuiet = useIsAnswered(JSON.stringify([state.mode, searchKey]), isShown) && isRepeated;
  // A refresh aborts running requests, so that numbers that take longer than the interval would never arrive.
  const isBusy = useIsFetching({ predicate: isOfRun }) > 0;
  useAutoRefresh(state.tail ? null : refreshMilliseconds(state.refresh, state), isBusy, () => {
    setRepeated(searchKey);
    dropEarlierRuns();
    refresh();
  });
  const typedText = () => editor.current?.text() ?? text;
  const typed = () => splitStats(typedText());
  const typedQuery = () => typed().query;
  const typedSearch = useLatest(() => searchParts(typedText()));
  /** Runs the search with these changes and with the text in the query bar, even if that text was not run before. */
  const runWith = useLatest((changes: Partial<SearchState>) => {
    mark("enter");
    const next = changes.query ?? (changes.stats === undefined ? searchParts(typedText()) : typed()).query;
    const stage = changes.stats ?? typed().stats ?? "";
    const after = modeAfter(stage, state);
    const mode = changes.mode ?? after.mode;
    rememberQuery(joinStats(next, stage));
    if ((changes.query ?? changes.stats) !== undefined) editor.current?.set(joinStats(next, stage));
    // A live tail ends when a chart replaces it, or a range that has ended, in which no new logs arrive.
    const isPast = changes.to !== undefined && changes.to !== "now";
    const tail = after.tail && changes.mode !== "chart" && !isPast;
    const closed = next !== query || mode !== state.mode ? { record: null, context: null } : {};
    change({ tail, ...changes, query: next, stats: stage, mode, ...closed });
  });
  const run = (entered: string) => {
    const parts = searchParts(entered);
    if (joinStats(parts.query, parts.stats) !== text) return runWith(parts);
    mark("enter");
    rememberQuery(text);
    setRepeated(null);
    refresh();
  };
  /** Runs a query that a control has changed. The query bar shows it, also if it equals the query that was run last. */
  const changeQuery = (edited: string) => {
    const stage = typed().stats ?? "";
    editor.current?.set(joinStats(edited, stage));
    change({ ...modeAfter(stage, state), query: edited, stats: stage });
  };
  const filter: FilterBy = (field, value, isExcluded) =>
    changeQuery(addFilter(typedQuery(), field, value, isExcluded));
  const edit = useLatest<Parameters<EditQuery>>((edited) => changeQuery(edited(typedQuery())));
  const showMode = (mode: ResultMode) => {
    const shown = typed().stats ?? "";
    const isFirst = mode === "chart" && shown === "" && window !== null;
    runWith({ mode, stats: isFirst ? (writeStats(countOverTime(window)) ?? "") : shown });
  };
  const zoomOutOnce = useLatest(() => {
    if (window !== null) runWith(absoluteRange(zoomOut(window, fromMilliseconds(Date.now()))));
  });
  const zoomIn = useCallback((selected: TimeWindow) => runWith(absoluteRange(selected)), [runWith]);
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
    change: (changes: Partial<SearchState>) => change(changes, "replace"),
    onRun: runWith,
    onMode: showMode,
    onRefresh: () => run(typedText()),
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
            onRun={run}
          >
            <TimeRangePicker range={state} window={window} onChange={runWith} />
            <FieldsDialog query={query} window={window} list={fieldList} onEdit={edit} />
            <ViewsMenu state={state} typed={typedSearch} onOpen={runWith} />
            <TailToggle isOn={state.tail} onToggle={toggleTail} />
          </QueryBar>
        </div>
        <Histogram
          note={state.tail && state.to !== "now" ? "Counts of the chosen range, not of the live tail" : null}
          isRangeEmpty={window === null}
          counted={histogram.data}
          isStale={
            histogram.isPlaceholderData &&
            !((state.tail || isRepeated) && isCounted && histogram.data?.by === state.by)
          }
          problem={histogram.error === null ? null : asProblem(histogram.error)}
          isExplained={searchProblem !== null}
          by={state.by}
          fields={listedFields}
          panel={countsPanel}
          onBy={breakDown}
          onSelect={zoomIn}
          onZoomOut={zoomOutOnce}
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
              state={state}
              window={window}
              found={found}
              problem={searchProblem}
              isQuiet={isQuiet}
              exporting={exporting}
              total={hasCounts || (isRepeated && isCounted) ? countOf(histogram.data?.answer.buckets) : null}
              change={change}
              onRun={runWith}
              onMode={showMode}
              onRefresh={() => run(typedText())}
              onZoomOut={zoomOutOnce}
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
              onFilter={filter}
              onTerm={(term) => changeQuery(addTerm(typedQuery(), term))}
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

import { type ApiProblem, asProblem } from "../api/problem";
import type { RunningExport } from "../export/useExport";
import type { TimeWindow } from "../time/timeExpression";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { Failure } from "../ui/Failure";
import { useEscape } from "../ui/useEscape";
import { useFocusKey } from "../ui/useFocusKey";
import type { ResultMode, SearchState } from "../url/searchState";
import type { ChangeSearch } from "../url/useSearchState";
import { CancelledNote, LoadBefore, OldResults } from "./AboveResults";
import { EmptyResults } from "./EmptyResults";
import { LoadingRows } from "./LoadingRows";
import styles from "./ResultArea.module.css";
import { ResultList } from "./ResultList";
import { ResultToolbar } from "./ResultToolbar";
import type { SearchPages } from "./searchPages";
import { useFailedBefore } from "./useFailedBefore";

interface ResultAreaProps {
  readonly state: SearchState;
  readonly window: TimeWindow | null;
  readonly found: SearchPages;
  readonly problem: ApiProblem | null;
  readonly total: number | null;
  /** The page's export, which goes on while the page shows something else than the list. */
  readonly exporting: RunningExport;
  /** True while the same search is refreshed automatically, during which its rows are not dimmed. */
  readonly isQuiet: boolean;
  readonly change: ChangeSearch;
  /** Runs the search again with these changes. */
  readonly onRun: (changes: Partial<SearchState>) => void;
  readonly onMode: (mode: ResultMode) => void;
  readonly onRefresh: () => void;
  readonly onZoomOut: () => void;
}

/** Shows the results, their loading, emptiness or failure, under their toolbar. */
export function ResultArea(props: ResultAreaProps) {
  const { state, onRun } = props;
  const { pages, logs, progress, cancel } = props.found;
  // During text input, Escape cancels a search but closes no record.
  useFocusKey("Escape", () => {
    if (pages.isFetching) cancel();
    else if (state.record !== null) props.change({ record: null, context: null });
  });
  useEscape(pages.isFetching, cancel);
  return (
    <div className={styles.area}>
      <ResultToolbar
        loaded={pages.data === undefined && logs.length === 0 ? null : logs.length}
        total={props.total}
        order={state.order}
        stats={pages.isPlaceholderData ? null : (pages.data?.pages[0]?.stats ?? null)}
        progress={progress}
        isFetching={pages.isFetching}
        exporting={props.exporting}
        refresh={state.refresh}
        endsNow={state.to === "now"}
        onRefreshChoice={(refresh) => props.change({ refresh }, "replace")}
        onMode={props.onMode}
        onOrder={(order) => onRun({ order })}
        onRefresh={props.onRefresh}
        onCancel={props.found.cancel}
        onExplain={() => props.change({ explain: true })}
      />
      <Results {...props} />
    </div>
  );
}

function Results({ state, window, found, problem, isQuiet, change, onRun, onZoomOut }: ResultAreaProps) {
  const { pages, logs, isStale, isCancelled } = found;
  const { fetchNextPage } = pages;
  const failedBefore = useFailedBefore(pages);
  if (window === null) {
    return <p className={styles.note}>{EMPTY_RANGE}</p>;
  }
  if (logs.length === 0 && problem?.isAboutQuery) {
    return <p className={styles.note}>Correct the query above to see results.</p>;
  }
  if (logs.length === 0 && problem !== null) {
    return (
      <div className={styles.note}>
        <Failure problem={problem} onRetry={() => void pages.refetch()} />
      </div>
    );
  }
  if (logs.length === 0 && isCancelled) {
    return (
      <div className={styles.note}>
        <CancelledNote onResume={found.resume} />
      </div>
    );
  }
  if (logs.length === 0 && (pages.isPending || pages.isPlaceholderData)) return <LoadingRows />;
  if (logs.length === 0) {
    return (
      <EmptyResults
        query={state.query}
        range={state}
        hints={pages.data?.pages.flatMap((page) => page.hints) ?? []}
        onRange={onRun}
        onQuery={(query) => onRun({ query })}
        onZoomOut={onZoomOut}
        onClear={() => change({ query: "" })}
      />
    );
  }
  const loadBefore = () => void pages.fetchPreviousPage();
  const isOld = isStale && problem !== null;
  return (
    <>
      {isOld && <OldResults problem={problem} onRetry={() => void pages.refetch()} />}
      {!isOld &&
        (failedBefore !== null ? (
          <Failure problem={asProblem(failedBefore)} onRetry={loadBefore} />
        ) : (
          pages.hasPreviousPage && (
            <LoadBefore order={state.order} isLoading={pages.isFetchingPreviousPage} onLoad={loadBefore} />
          )
        ))}
      {isCancelled && <CancelledNote onResume={found.resume} />}
      <ResultList
        logs={logs}
        query={state.query}
        order={state.order}
        openId={state.record}
        hasMore={pages.hasNextPage && !isOld && !isCancelled}
        isLoadingMore={pages.isFetching && !isStale}
        isStale={isStale && !isQuiet}
        listId={found.shownListId}
        isQuiet={isQuiet}
        keepsPlace={found.isAnchored}
        failure={isOld || pages.error === failedBefore ? null : problem}
        {...(isOld || isCancelled ? { endNote: "" } : {})}
        onLoadMore={fetchNextPage}
        onOpen={(record, how) => change({ record }, how)}
      />
    </>
  );
}

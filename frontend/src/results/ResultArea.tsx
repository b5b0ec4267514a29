import { type ApiProblem, asProblem } from "../api/problem";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { Failure } from "../ui/Failure";
import { useEscape } from "../ui/useEscape";
import { useFocusKey } from "../ui/useFocusKey";
import { CancelledNote, LoadBefore, OldResults } from "./AboveResults";
import { EmptyResults } from "./EmptyResults";
import { ListToolbar, type ListToolbarProps } from "./ListToolbar";
import { LoadingRows } from "./LoadingRows";
import styles from "./ResultArea.module.css";
import { ResultList } from "./ResultList";
import { useFailedBefore } from "./useFailedBefore";

interface ResultAreaProps extends ListToolbarProps {
  readonly problem: ApiProblem | null;
  readonly onZoomOut: () => void;
}

/** Shows the results, their loading, emptiness or failure, under their toolbar. */
export function ResultArea(props: ResultAreaProps) {
  const { pages, cancel } = props.found;
  // During text input, Escape cancels a search but closes no record.
  useFocusKey("Escape", () => {
    if (pages.isFetching) cancel();
    else if (props.state.record !== null) props.change({ record: null, context: null });
  });
  useEscape(pages.isFetching, cancel);
  return (
    <div className={styles.area}>
      <ListToolbar {...props} />
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

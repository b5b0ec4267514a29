import { useEffect, useRef } from "react";
import { asProblem } from "../api/problem";
import type { Context, Log } from "../api/types";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { formatRowTime } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Failure";
import { type ContextChoice, possibleChoice } from "../url/contextChoice";
import { ChoiceBar } from "./ChoiceBar";
import { ContextRow } from "./ContextRow";
import styles from "./ContextView.module.css";
import { useContextPages } from "./useContextPages";

interface ContextViewProps {
  readonly record: Log;
  readonly choice: ContextChoice;
  readonly onChoice: (choice: ContextChoice) => void;
  readonly onOpen: (id: string) => void;
}

/** Shows the records that were logged just before and after one record. */
export function ContextView({ record, choice, onChoice, onOpen }: ContextViewProps) {
  const possible = possibleChoice(record, choice);
  const { pages, logs } = useContextPages(record.id, possible);
  const { zone } = usePreferences();
  const middle = useRef<HTMLLIElement>(null);
  const isLoaded = logs.length > 0;
  useEffect(() => {
    if (isLoaded) middle.current?.scrollIntoView({ block: "center" });
  }, [isLoaded]);
  const answers = pages.data?.pages.map((page) => page.answer) ?? [];
  // A side that failed is read again by itself. Reading all pages again would begin at the earliest one.
  const retry = () => {
    if (pages.isFetchPreviousPageError) return pages.fetchPreviousPage();
    return pages.isFetchNextPageError ? pages.fetchNextPage() : pages.refetch();
  };
  return (
    <section aria-label="Context" data-testid={testIds.context}>
      <ChoiceBar record={record} choice={possible} onChoice={onChoice} />
      {pages.error !== null && <Failure problem={asProblem(pages.error)} onRetry={() => void retry()} />}
      {pages.isPending && <p className={styles.note}>Loading the records around this one…</p>}
      {isLoaded && (
        <>
          <End
            label="Earlier"
            hasMore={pages.hasPreviousPage}
            isLoading={pages.isFetchingPreviousPage}
            isBusy={pages.isFetching}
            stopped={stoppedBefore(answers[0])}
            onMore={() => void pages.fetchPreviousPage()}
          />
          <ol className={styles.rows}>
            {logs.map((log) => (
              <ContextRow
                key={log.id}
                ref={log.id === record.id ? middle : undefined}
                log={log}
                isCurrent={log.id === record.id}
                zone={zone}
                middle={record.timestamp}
                onOpen={onOpen}
              />
            ))}
          </ol>
          <End
            label="Later"
            hasMore={pages.hasNextPage}
            isLoading={pages.isFetchingNextPage}
            isBusy={pages.isFetching}
            stopped={stoppedAfter(answers.at(-1))}
            onMore={() => void pages.fetchNextPage()}
          />
        </>
      )}
    </section>
  );
}

interface EndProps {
  readonly label: "Earlier" | "Later";
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** True while either end is read. A request for the other end would abort that read. */
  readonly isBusy: boolean;
  /** Time at which the server stopped searching for more records; null if it did not stop early. */
  readonly stopped: string | null;
  readonly onMore: () => void;
}

/** One end of the list: a button for more records, or a note that there are none or that this is unknown. */
function End({ label, hasMore, isLoading, isBusy, stopped, onMore }: EndProps) {
  const { zone } = usePreferences();
  if (hasMore) {
    const testId = label === "Earlier" ? testIds.contextEarlier : testIds.contextLater;
    return (
      <div className={styles.end}>
        <Button size="small" disabled={isBusy} onClick={onMore} data-testid={testId}>
          {isLoading ? "Loading…" : `${label} records`}
        </Button>
      </div>
    );
  }
  const time = stopped === null ? null : parseRfc3339(stopped);
  if (time === null) return <p className={styles.note}>{`No ${label.toLowerCase()} records`}</p>;
  return (
    <p className={styles.note}>
      {`Searched up to ${formatRowTime(time, zone)}. There may be more ${label.toLowerCase()} records.`}
    </p>
  );
}

function stoppedBefore(answer: Context | undefined): string | null {
  return answer === undefined || answer.complete_before ? null : answer.searched_from;
}

function stoppedAfter(answer: Context | undefined): string | null {
  return answer === undefined || answer.complete_after ? null : answer.searched_to;
}

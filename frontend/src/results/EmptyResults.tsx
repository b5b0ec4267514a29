import { sentence } from "../api/problem";
import type { SearchPage } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { parseDuration } from "../time/duration";
import { NS_PER_SECOND } from "../time/nanoseconds";
import type { TimeRange } from "../time/timeExpression";
import { relativeDuration, relativeRange } from "../time/timeExpression";
import { Button } from "../ui/Button";
import styles from "./EmptyResults.module.css";

interface EmptyResultsProps {
  readonly query: string;
  readonly range: TimeRange;
  /** Likely reasons why the query found nothing. */
  readonly hints: SearchPage["hints"];
  readonly onQuery: (query: string) => void;
  readonly onRange: (range: TimeRange) => void;
  readonly onZoomOut: () => void;
  readonly onClear: () => void;
}

const DAY = 86_400n * NS_PER_SECOND;

/** Shown when no record matches. Offers the changes to the search that most often help, each as a button. */
export function EmptyResults({
  query,
  range,
  hints,
  onQuery,
  onRange,
  onZoomOut,
  onClear,
}: EmptyResultsProps) {
  const length = parseDuration(relativeDuration(range) ?? "");
  const hasWholeDay = length !== null && length >= DAY;
  return (
    <div className={styles.empty} data-testid={testIds.empty}>
      <h2 className={styles.title}>No logs match</h2>
      <p className={styles.lead}>
        {query === ""
          ? "No logs have a time in this range. Choose a longer range, or check that logs are sent."
          : "No logs in this range match the query."}
      </p>
      {hints.length > 0 && <Hints hints={hints} onQuery={onQuery} />}
      <div className={styles.actions}>
        {!hasWholeDay && (
          <Button tone="primary" onClick={() => onRange(relativeRange("24h"))}>
            Search the past 24 hours
          </Button>
        )}
        <Button onClick={onZoomOut}>Double the range</Button>
        {query !== "" && <Button onClick={onClear}>Clear the query</Button>}
      </div>
      {query !== "" && (
        <ul className={styles.advice}>
          <li>
            A word finds whole words only: <code>timeout</code> does not find <em>timeouts</em>,{" "}
            <code>timeout*</code> does.
          </li>
          <li>
            <code>field:value</code> matches the whole value, and upper and lower case must match;{" "}
            <code>field:~word</code> finds a word inside the value.
          </li>
          <li>
            A space means AND. Write <code>a OR b</code> for either.
          </li>
        </ul>
      )}
    </div>
  );
}

function Hints({ hints, onQuery }: Pick<EmptyResultsProps, "hints" | "onQuery">) {
  return (
    <ul className={styles.hints} data-testid={testIds.hints}>
      {hints.map(({ detail, query }) => (
        <li key={detail}>
          <LoggedText text={sentence(detail)} />
          {query !== null && (
            <Button size="small" onClick={() => onQuery(query)}>
              Search{" "}
              <code>
                <LoggedText text={query} isOneLine />
              </code>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

import { asProblem } from "../api/problem";
import type { LogPattern, PatternsAnswer } from "../api/types";
import { formatCount } from "../format/quantity";
import { CancelledNote } from "../results/AboveResults";
import type { AreaProps } from "../results/areaProps";
import { ResultToolbar } from "../results/ResultToolbar";
import { useCancel } from "../results/useCancel";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Failure";
import type { SearchState } from "../url/searchState";
import styles from "./PatternArea.module.css";
import { shareText, summaryText } from "./patternTexts";
import { templateParts } from "./templateParts";
import { PATTERNS, type usePatterns } from "./usePatterns";

const NEW = "No log in a sample of the same time range one day earlier has this pattern";

interface PatternAreaProps extends AreaProps {
  readonly found: ReturnType<typeof usePatterns>;
}

/** Shows the patterns of the matching messages: the share, the counts over time and the template of each. */
export default function PatternArea(props: PatternAreaProps) {
  const { window, found, onRun } = props;
  const { data, error, isFetching, isPlaceholderData } = found;
  const { cancel, isCancelled } = useCancel(PATTERNS, found);
  const problem = error === null ? null : asProblem(error);
  const answer = problem === null ? data : undefined;
  return (
    <div className={styles.area} data-testid={testIds.patterns} aria-busy={isFetching}>
      <ResultToolbar {...props} running={isFetching ? "Grouping" : null} onCancel={cancel}>
        {answer !== undefined && !isPlaceholderData && (
          <span className={styles.summary} aria-live="polite">
            {summaryText(answer)}
          </span>
        )}
      </ResultToolbar>
      {window === null && <p className={styles.note}>{EMPTY_RANGE}</p>}
      {window !== null && problem?.isAboutQuery && (
        <p className={styles.note}>Correct the query above to see patterns.</p>
      )}
      {window !== null && problem !== null && !problem.isAboutQuery && (
        <div className={styles.note}>
          <Failure problem={problem} onRetry={() => void found.refetch()} />
        </div>
      )}
      {window !== null && isCancelled && <CancelledNote onResume={() => void found.refetch()} />}
      {isFetching && data === undefined && <p className={styles.note}>Grouping…</p>}
      {answer?.patterns.length === 0 && (
        <p className={styles.note}>No logs match, so there are no patterns.</p>
      )}
      {answer !== undefined && answer.patterns.length > 0 && (
        <PatternList answer={answer} isStale={isPlaceholderData && !props.isQuiet} onRun={onRun} />
      )}
    </div>
  );
}

interface PatternListProps {
  readonly answer: PatternsAnswer;
  readonly isStale: boolean;
  readonly onRun: (changes: Partial<SearchState>) => void;
}

function PatternList({ answer, isStale, onRun }: PatternListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region needs a Tab stop to be scrolled by keyboard
    <section className={styles.scrolled} aria-label="List of patterns" tabIndex={0} data-stale={isStale}>
      <ol className={styles.list}>
        {answer.patterns.map((pattern) => (
          <PatternRow key={pattern.example} pattern={pattern} isEstimate={answer.is_estimate} onRun={onRun} />
        ))}
      </ol>
    </section>
  );
}

interface PatternRowProps {
  readonly pattern: LogPattern;
  readonly isEstimate: boolean;
  readonly onRun: (changes: Partial<SearchState>) => void;
}

function PatternRow({ pattern, isEstimate, onRun }: PatternRowProps) {
  const { query, exclude, template } = pattern;
  const name = visibleText(template);
  return (
    <li className={styles.pattern} data-testid={testIds.pattern}>
      <span className={styles.share}>
        <b>{shareText(pattern.share, isEstimate)}</b>
        <span>{formatCount(pattern.records)}</span>
        <i aria-hidden="true" style={{ width: `${pattern.share * 100}%` }} />
      </span>
      <Course counts={pattern.counts} />
      <p className={styles.template}>
        {pattern.new === true && (
          <span className={styles.new} title={NEW}>
            new
          </span>
        )}
        {templateParts(template).map(({ text, isWildcard, from }) =>
          isWildcard ? <mark key={from}>{text}</mark> : <LoggedText key={from} text={text} />,
        )}
      </p>
      <span className={styles.actions}>
        {query !== null && (
          <Button
            size="small"
            tone="ghost"
            aria-label={`Show logs of ${name}`}
            title="Show these logs"
            data-testid={testIds.patternShow}
            onClick={() => onRun({ query, mode: "logs" })}
          >
            Show
          </Button>
        )}
        {exclude !== null && (
          <Button
            size="small"
            tone="ghost"
            aria-label={`Hide logs of ${name}`}
            title="Leave these logs out"
            data-testid={testIds.patternHide}
            onClick={() => onRun({ query: exclude })}
          >
            Hide
          </Button>
        )}
      </span>
    </li>
  );
}

/**
 * Bars with the number of a pattern's records in each part of the sample's time. The pattern's largest count has the
 * full height.
 */
function Course({ counts }: { counts: readonly number[] }) {
  const largest = Math.max(...counts, 1);
  return (
    <svg
      className={styles.course}
      viewBox={`0 0 ${counts.length} 10`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        d={counts.map((count, place) => `M${place + 0.1} 10v${(-10 * count) / largest}h.8V10z`).join("")}
        fill="currentColor"
      />
    </svg>
  );
}

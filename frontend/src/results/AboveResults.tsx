import type { ApiProblem } from "../api/problem";
import { sentence } from "../api/problem";
import type { Order } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { Button } from "../ui/Button";
import { failureTitle } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { useRetry } from "../ui/useRetry";
import styles from "./AboveResults.module.css";

/** Shows why a search failed, above the dimmed results of the previous search. */
export function OldResults({ problem, onRetry }: { problem: ApiProblem; onRetry: () => void }) {
  const retry = useRetry(onRetry);
  if (problem.isAboutQuery) {
    return (
      <p className={styles.bar}>Correct the query above. The logs below belong to the previous search.</p>
    );
  }
  return (
    <div className={styles.bar} data-tone="danger" role="alert" data-testid={testIds.error}>
      <Icon name="alert" />
      <p>
        <strong>{failureTitle(problem)}.</strong> <LoggedText text={sentence(problem.message)} /> The logs
        below belong to the previous search.
      </p>
      <Button size="small" data-testid={testIds.retry} onClick={retry}>
        <Icon name="refresh" />
        Try again
      </Button>
    </div>
  );
}

/** Shows that the results are incomplete because the search was cancelled. */
export function CancelledNote({ onResume }: { onResume: () => void }) {
  return (
    <div className={styles.bar} role="status" data-testid={testIds.cancelled}>
      <p>This search was cancelled.</p>
      <Button size="small" data-testid={testIds.resume} onClick={onResume}>
        <Icon name="refresh" />
        Search again
      </Button>
    </div>
  );
}

interface LoadBeforeProps {
  readonly order: Order;
  readonly isLoading: boolean;
  readonly onLoad: () => void;
}

/** Line above a list that begins at a linked record, with a button that loads the rows before that record. */
export function LoadBefore({ order, isLoading, onLoad }: LoadBeforeProps) {
  const which = order === "desc" ? "newer" : "older";
  return (
    <div className={styles.bar}>
      <p>The list begins at the linked record.</p>
      <Button size="small" disabled={isLoading} data-testid={testIds.loadBefore} onClick={onLoad}>
        {isLoading ? "Loading…" : `Load ${which} logs`}
      </Button>
    </div>
  );
}

import type { ApiProblem } from "../api/problem";
import { sentence } from "../api/problem";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { Button } from "./Button";
import styles from "./Failure.module.css";
import { Icon } from "./Icon";
import { useRetry } from "./useRetry";

/** Shows a failed request in place of its answer. "Try again" repeats all failed requests of the page. */
export function Failure({ problem, onRetry }: { problem: ApiProblem; onRetry?: () => void }) {
  const retry = useRetry(onRetry);
  return (
    <div className={styles.failure} role="alert" data-testid={testIds.error}>
      <span className={styles.sign}>
        <Icon name="alert" size={20} />
      </span>
      <p className={styles.title}>{failureTitle(problem)}</p>
      <p className={styles.detail}>
        <LoggedText text={sentence(problem.message)} />
      </p>
      <Button onClick={retry} data-testid={testIds.retry}>
        <Icon name="refresh" />
        Try again
      </Button>
      <code className={styles.code}>
        {problem.status === 0 ? problem.code : `${problem.status} ${problem.code}`}
      </code>
    </div>
  );
}

/** Returns a heading for the failure: a few words without a full stop. */
export function failureTitle(problem: ApiProblem): string {
  if (problem.code === "query_too_expensive") return "This query exceeded a limit";
  if (problem.code === "unexpected") return "Something went wrong in this page";
  if (problem.status === 0) return "No connection";
  if (problem.status === 404) return "Not found";
  if (problem.status === 429) return "Too many requests";
  return problem.status >= 500 ? "The server could not answer" : "The request was refused";
}

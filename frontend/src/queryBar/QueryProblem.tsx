import type { ApiProblem } from "../api/problem";
import { sentence } from "../api/problem";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./QueryBar.module.css";

/** Shows why the query text is wrong. The editor underlines the place of the error. */
export function QueryProblem({ problem, onRun }: { problem: ApiProblem; onRun: (query: string) => void }) {
  const { searchAsText } = problem;
  return (
    <p className={styles.problem} role="alert" data-testid={testIds.error}>
      <Icon name="alert" />
      <LoggedText text={sentence(problem.message)} />
      {problem.position !== null && <span className={styles.hint}>At character {problem.position + 1}.</span>}
      {problem.expected.length > 0 && (
        <span className={styles.hint}>
          Expected{" "}
          {problem.expected.map((item, index) => (
            <span key={item}>
              {index > 0 && ", "}
              <code>{item}</code>
            </span>
          ))}
          .
        </span>
      )}
      {searchAsText !== null && (
        <Button size="small" data-testid={testIds.searchAsText} onClick={() => onRun(searchAsText)}>
          Search as text
        </Button>
      )}
    </p>
  );
}

import type { ApiProblem } from "../api/problem";
import type { Analysis } from "../api/types";
import { formatElapsed, plural } from "../format/quantity";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Failure";
import styles from "./ExplainDrawer.module.css";
import { IndexTable } from "./IndexTable";
import { StatementTable } from "./StatementTable";

export interface Measurement {
  readonly analysis: Analysis | null;
  readonly problem: ApiProblem | null;
  readonly isRunning: boolean;
  readonly run: () => void;
}

/** Reads the page on request, and shows the cost of each of its statements. */
export function AnalysisSection({ analysis, problem, isRunning, run }: Measurement) {
  return (
    <section data-testid={testIds.analysis}>
      <div className={styles.codeHead}>
        <h3>Measured</h3>
        <Button size="small" disabled={isRunning} data-testid={testIds.analyze} onClick={run}>
          {isRunning
            ? "Reading the page…"
            : analysis === null
              ? "Read the page and measure"
              : "Measure again"}
        </Button>
      </div>
      {problem !== null && !isRunning && <Failure problem={problem} onRetry={run} />}
      {analysis === null && problem === null && (
        <p className={styles.note}>
          Reads the first page like a search, within the same limits, and shows the time, processor time and
          bytes of each statement.
        </p>
      )}
      {analysis !== null && problem === null && (
        <>
          <p className={styles.note}>
            {plural(analysis.logs, "log")} in {formatElapsed(analysis.elapsed_ms)}
          </p>
          <StatementTable statements={analysis.statements} />
          {analysis.unknown !== null && <p className={styles.note}>{analysis.unknown}</p>}
          {analysis.statements.map((statement, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: statements of several tables are alike but for their place
            <details key={place}>
              <summary>
                Indexes of statement {place + 1}, which reads {statement.reads}
              </summary>
              <IndexTable indexes={statement.indexes} />
            </details>
          ))}
        </>
      )}
    </section>
  );
}

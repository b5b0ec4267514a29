import type { StatementAnalysis } from "../api/types";
import { formatBytes, formatCount, formatElapsed } from "../format/quantity";
import { usePreferences } from "../preferences/preferences";
import { shownSecond } from "../time/shownTime";
import styles from "./ExplainDrawer.module.css";

const UNKNOWN = "–";

/** Shows the cost of each statement of a page, with a bar for its share of the time. */
export function StatementTable({ statements }: { statements: readonly StatementAnalysis[] }) {
  const { zone } = usePreferences();
  const hasShards = new Set(statements.map((statement) => statement.shard)).size > 1;
  const longest = Math.max(0.001, ...statements.map((statement) => statement.answered_ms));
  return (
    <div className={styles.tableFrame}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Statement</th>
            <th scope="col" title="Time until the rows had arrived; in brackets, the time in ClickHouse">
              Time
            </th>
            <th scope="col" title="Processor time of all threads">
              CPU
            </th>
            <th scope="col">Rows read</th>
            <th scope="col">Bytes read</th>
            <th scope="col">Granules</th>
            <th scope="col">Files</th>
            <th scope="col">Memory</th>
          </tr>
        </thead>
        <tbody>
          {statements.map((statement, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: statements of several tables are alike but for their place
            <tr key={place}>
              <th scope="row">
                <span className={styles.indexName}>
                  {place + 1}. {statement.reads}
                </span>
                <span className={styles.indexType}>
                  from {shownSecond(statement.start, zone)}
                  {hasShards && `, shard ${statement.shard}`}
                </span>
                <meter
                  className={styles.bar}
                  aria-label={`Time of statement ${place + 1}`}
                  min={0}
                  max={longest}
                  value={statement.answered_ms}
                />
              </th>
              <td>
                {formatElapsed(statement.answered_ms)} ({formatElapsed(statement.elapsed_ms)})
              </td>
              <td>{known(statement.cpu_ms, formatElapsed)}</td>
              <td>{formatCount(statement.rows_read)}</td>
              <td>{formatBytes(statement.bytes_read)}</td>
              <td>
                {known(statement.marks_read, formatCount)} / {known(statement.marks_total, formatCount)}
              </td>
              <td>{known(statement.files_opened, formatCount)}</td>
              <td>{known(statement.memory_bytes, formatBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function known(number: number | null, format: (number: number) => string): string {
  return number === null ? UNKNOWN : format(number);
}

import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import styles from "./Chart.module.css";
import { cellText } from "./cellText";
import type { StatsTable } from "./statsRows";

/** Shows the value of each function over all matching logs as a large number. */
export function SingleNumbers({ table: { functions, rows } }: { table: StatsTable }) {
  return (
    <dl className={styles.numbers}>
      {functions.map(({ name, unit }, place) => (
        <div key={name}>
          <dt>{visibleText(name)}</dt>
          <dd data-testid={testIds.chartNumber}>{cellText(rows[0]?.cells[place])}</dd>
          {unit !== null && <dd className={styles.unit}>{unit}</dd>}
        </div>
      ))}
    </dl>
  );
}

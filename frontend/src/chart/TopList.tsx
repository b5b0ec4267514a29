import { testIds } from "../testIds";
import styles from "./Chart.module.css";
import { cellText } from "./cellText";
import type { OpenGroup } from "./openGroup";
import { groupText, numberIn, type StatsTable } from "./statsRows";

interface TopListProps {
  readonly table: StatsTable;
  /** Index of the function whose value is a bar's length. */
  readonly place: number;
  readonly onOpen: OpenGroup;
}

/** List of the groups, each with a bar. The largest value has the longest bar; values below 0 have none. */
export function TopList({ table, place, onOpen }: TopListProps) {
  const { fields, rows, functions } = table;
  const heights = rows.map(({ cells }) => Math.max(0, finite(numberIn(cells[place]))));
  const largest = Math.max(...heights, 0) || 1;
  return (
    <ol className={styles.top} aria-label={`${functions[place]?.name ?? ""} by ${fields.join(", ")}`}>
      {rows.map(({ kind, group, cells }, row) => {
        const label = groupText(kind, group, fields);
        return (
          <li key={JSON.stringify([kind, ...group])} className={styles.bar}>
            {kind === "group" ? (
              <button
                type="button"
                className={styles.open}
                title={`${label}: show these logs`}
                data-testid={testIds.chartGroup}
                onClick={() => onOpen(group)}
              >
                {label}
              </button>
            ) : (
              <span className={styles.label}>{label}</span>
            )}
            <span className={styles.track} aria-hidden="true">
              <i data-kind={kind} style={{ width: `${((heights[row] ?? 0) / largest) * 100}%` }} />
            </span>
            <span className={styles.value}>{cellText(cells[place])}</span>
          </li>
        );
      })}
    </ol>
  );
}

function finite(value: number | null): number {
  return value !== null && Number.isFinite(value) ? value : 0;
}

import type { IndexUse } from "../api/types";
import { formatBytes, formatCount } from "../format/quantity";
import { LoggedText } from "../text/LoggedText";
import styles from "./ExplainDrawer.module.css";

/** Shows the parts and granules left after each index, in the order in which the indexes are applied. */
export function IndexTable({ indexes }: { indexes: readonly IndexUse[] }) {
  if (indexes.length === 0)
    return <p className={styles.note}>No index is used: all records of the range are read.</p>;
  return (
    <div className={styles.tableFrame}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">Parts</th>
            <th scope="col">Granules</th>
            <th scope="col">Kept</th>
            <th scope="col" title="Compressed size of the index in the whole table">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {indexes.map((index) => (
            // An index appears once per place in the plan, so its name alone is not unique.
            <tr key={`${index.name} ${index.type} ${index.condition} ${index.granules_total}`}>
              <th scope="row">
                <span className={styles.indexName}>{index.name || index.type}</span>
                {index.name !== "" && <span className={styles.indexType}>{index.type}</span>}
                {index.condition !== "" && (
                  <code>
                    <LoggedText text={index.condition} />
                  </code>
                )}
              </th>
              <td>{share(index.parts_read, index.parts_total)}</td>
              <td>{share(index.granules_read, index.granules_total)}</td>
              <td>
                <meter
                  aria-label="Share of granules that are left to read"
                  min={0}
                  max={Math.max(1, index.granules_total)}
                  value={index.granules_read}
                />
                <span className={styles.percentage}>{percentage(index)}</span>
              </td>
              <td>{index.bytes === null ? "–" : formatBytes(index.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function share(read: number, total: number): string {
  return `${formatCount(read)} / ${formatCount(total)}`;
}

function percentage({ granules_read: read, granules_total: total }: IndexUse): string {
  if (total === 0) return "–";
  const percent = (read / total) * 100;
  return percent > 0 && percent < 1 ? "<1 %" : `${percent.toFixed(0)} %`;
}

import { formatFullTime } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import { CopyButton } from "../ui/CopyButton";
import styles from "./DetailPanel.module.css";
import fieldStyles from "./FieldTable.module.css";

interface TimesTableProps {
  readonly timestamp: string;
  readonly observed: string;
}

/**
 * Shows when the record happened and was observed, to the nanosecond: in UTC, and in the browser's time zone where that
 * differs.
 */
export function TimesTable({ timestamp, observed }: TimesTableProps) {
  const times = [
    ["timestamp", timestamp],
    ["observed", observed],
  ] as const;
  return (
    <section aria-label="Times">
      <div className={styles.groupHead}>
        <h3>Time</h3>
      </div>
      <dl className={styles.fields}>
        {times.map(([name, text]) => (
          <div key={name} className={`${fieldStyles.row} ${styles.time}`}>
            <dt className={fieldStyles.name}>{name}</dt>
            <dd className={fieldStyles.value}>{bothClocks(text)}</dd>
            <dd className={fieldStyles.actions}>
              <CopyButton label={`Copy ${name}`} text={() => text} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function bothClocks(text: string): string {
  const time = parseRfc3339(text);
  if (time === null) return text;
  const [utc, local] = [formatFullTime(time, "utc"), formatFullTime(time, "local")];
  return local === utc ? utc : `${utc}\n${local}`;
}

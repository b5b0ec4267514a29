import type { Log } from "../api/types";
import { severityLabel, severityOf } from "../severity/severity";
import styles from "./LogCells.module.css";
import { LoggedText } from "./LoggedText";

interface CellProps {
  readonly log: Log;
  /** Class that places the cell in its row. */
  readonly className: string | undefined;
}

/** Largest number of characters of a message that its cell shows. */
const LENGTH = 300;

/** Shows a log's severity in the colour that `data-severity` of its row sets. */
export function SeverityCell({ log }: { readonly log: Log }) {
  return <span className={styles.severity}>{severityLabel(severityOf(log.severity_number))}</span>;
}

/** Shows a log's service, cut where the cell ends. */
export function ServiceCell({ log, className }: CellProps) {
  return (
    <span className={`${styles.oneLine} ${className}`}>
      <LoggedText text={log.service} isOneLine />
    </span>
  );
}

/** Shows the beginning of a log's message, in at most one or two lines. */
export function MessageCell({ log, className, lines }: CellProps & { readonly lines: 1 | 2 }) {
  return (
    <span className={`${lines === 1 ? styles.oneLine : styles.twoLines} ${className}`}>
      <LoggedText text={log.body.slice(0, LENGTH).toWellFormed()} isOneLine />
    </span>
  );
}

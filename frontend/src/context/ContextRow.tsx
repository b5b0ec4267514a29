import { memo } from "react";
import type { Log } from "../api/types";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import type { TimeZoneChoice } from "../time/format";
import { rowTimeParts } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import styles from "./ContextView.module.css";

interface ContextRowProps {
  readonly log: Log;
  readonly isCurrent: boolean;
  readonly zone: TimeZoneChoice;
  readonly onOpen: (id: string) => void;
  readonly ref: React.Ref<HTMLLIElement> | undefined;
}

/** Largest number of characters of a message that its row shows. */
const LENGTH = 300;

export const ContextRow = memo(function ContextRow({ log, isCurrent, zone, onOpen, ref }: ContextRowProps) {
  const severity = severityOf(log.severity_number);
  return (
    <li ref={ref} aria-current={isCurrent} data-severity={severity} className={styles.item}>
      <button
        type="button"
        className={styles.row}
        data-testid={testIds.contextRow}
        data-current={isCurrent}
        onClick={() => onOpen(log.id)}
      >
        <span className={styles.time}>{clockOf(log.timestamp, zone)}</span>
        <span className={styles.severity}>{severityLabel(severity)}</span>
        <span className={styles.service}>
          <LoggedText text={log.service} isOneLine />
        </span>
        <span className={styles.message}>
          <LoggedText text={log.body.slice(0, LENGTH).toWellFormed()} isOneLine />
        </span>
      </button>
    </li>
  );
});

function clockOf(timestamp: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(timestamp);
  if (time === null) return timestamp;
  const { clock, milliseconds } = rowTimeParts(time, zone);
  return `${clock}.${milliseconds}`;
}

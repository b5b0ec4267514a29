import { memo } from "react";
import type { Log } from "../api/types";
import { severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { MessageCell, ServiceCell, SeverityCell } from "../text/LogCells";
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

export const ContextRow = memo(function ContextRow({ log, isCurrent, zone, onOpen, ref }: ContextRowProps) {
  return (
    <li
      ref={ref}
      aria-current={isCurrent}
      data-severity={severityOf(log.severity_number)}
      className={styles.item}
    >
      <button
        type="button"
        className={styles.row}
        data-testid={testIds.contextRow}
        data-current={isCurrent}
        onClick={() => onOpen(log.id)}
      >
        <span className={styles.time}>{clockOf(log.timestamp, zone)}</span>
        <SeverityCell log={log} />
        <ServiceCell log={log} className={styles.service} />
        <MessageCell log={log} className={styles.message} lines={2} />
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

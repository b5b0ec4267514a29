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
  /** Time of the record in the middle. A row has a date only if its day differs. */
  readonly middle: string;
  readonly onOpen: (id: string) => void;
  readonly ref: React.Ref<HTMLLIElement> | undefined;
}

export const ContextRow = memo(function ContextRow(props: ContextRowProps) {
  const { log, isCurrent, zone, middle, onOpen, ref } = props;
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
        <span className={styles.time}>{timeOf(log.timestamp, middle, zone)}</span>
        <SeverityCell log={log} />
        <ServiceCell log={log} className={styles.service} />
        <MessageCell log={log} className={styles.message} lines={2} />
      </button>
    </li>
  );
});

function timeOf(timestamp: string, middle: string, zone: TimeZoneChoice): string {
  const [time, middleTime] = [parseRfc3339(timestamp), parseRfc3339(middle)];
  if (time === null || middleTime === null) return timestamp;
  const { date, clock, milliseconds } = rowTimeParts(time, zone);
  const day = date === rowTimeParts(middleTime, zone).date ? "" : `${date} `;
  return `${day}${clock}.${milliseconds}`;
}

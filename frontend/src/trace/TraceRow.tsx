import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Log } from "../api/types";
import { severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { MessageCell, ServiceCell, SeverityCell } from "../text/LogCells";
import { parseRfc3339 } from "../time/nanoseconds";
import { ROVING } from "../ui/useRoving";
import styles from "./TracePage.module.css";
import { formatOffset, percentOf, type TraceExtent } from "./timeline";
import { traceSearch } from "./traceSearch";

interface TraceRowProps {
  readonly log: Log;
  readonly traceId: string;
  readonly extent: TraceExtent;
  readonly colour: number;
}

/** A log of the trace with its place in the trace's time. It leads to the record in the search of the trace. */
export const TraceRow = memo(function TraceRow({ log, traceId, extent, colour }: TraceRowProps) {
  const time = parseRfc3339(log.timestamp) ?? extent.first;
  return (
    <li className={styles.item} data-severity={severityOf(log.severity_number)} data-colour={colour}>
      <Link
        {...ROVING}
        to="/"
        search={{ ...traceSearch(traceId, extent), record: log.id }}
        preload={false}
        className={styles.row}
        data-testid={testIds.traceRow}
      >
        <span className={styles.offset}>+{formatOffset(time - extent.first)}</span>
        <span className={styles.lane} aria-hidden="true">
          <span className={styles.tick} style={{ left: `${percentOf(time, extent)}%` }} />
        </span>
        <ServiceCell log={log} className={styles.service} />
        <SeverityCell log={log} />
        <MessageCell log={log} className={styles.message} lines={1} />
      </Link>
    </li>
  );
});

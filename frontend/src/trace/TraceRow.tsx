import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Log } from "../api/types";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
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

/** Largest number of characters of a message that its row shows. */
const LENGTH = 300;

/** A log of the trace with its place in the trace's time. It leads to the record in the search of the trace. */
export const TraceRow = memo(function TraceRow({ log, traceId, extent, colour }: TraceRowProps) {
  const severity = severityOf(log.severity_number);
  const time = parseRfc3339(log.timestamp) ?? extent.first;
  return (
    <li className={styles.item} data-severity={severity} data-colour={colour}>
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
        <span className={styles.service}>
          <LoggedText text={log.service} isOneLine />
        </span>
        <span className={styles.severity}>{severityLabel(severity)}</span>
        <span className={styles.message}>
          <LoggedText text={log.body.slice(0, LENGTH).toWellFormed()} isOneLine />
        </span>
      </Link>
    </li>
  );
});

import { memo, useMemo } from "react";
import type { Log } from "../api/types";
import type { Columns } from "../columns/columns";
import { columnAttribute, columnText } from "../columns/columnText";
import type { Matcher } from "../language/matchRanges";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import type { TimeZoneChoice } from "../time/format";
import { rowTimeParts } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import { inlineAttributes } from "./inlineAttributes";
import { MarkedText } from "./MarkedText";
import styles from "./ResultRow.module.css";
import { lineSegments, segments } from "./rowText";

interface ResultRowProps {
  readonly log: Log;
  readonly columns: Columns;
  readonly index: number;
  readonly top: number;
  readonly matcher: Matcher;
  readonly zone: TimeZoneChoice;
  readonly isWrapped: boolean;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly onOpen: (id: string) => void;
}

export const rowId = (id: string) => `row-${id}`;

export const ResultRow = memo(function ResultRow(props: ResultRowProps) {
  const { log, columns, index, matcher, isWrapped } = props;
  const severity = severityOf(log.severity_number);
  const message = useMemo(
    () => (isWrapped ? segments(log.body, matcher) : lineSegments(log.body, matcher)),
    [log.body, matcher, isWrapped],
  );
  const attributes = useMemo(() => {
    const inColumns = new Set(columns.map(({ field }) => columnAttribute(log, field)));
    return inlineAttributes(log.attributes, inColumns);
  }, [log, columns]);
  const open = () => {
    // A click that ends the selection of text to copy must not open the record.
    if (window.getSelection()?.isCollapsed ?? true) props.onOpen(log.id);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around the rows has the keys (useListKeys)
    <div
      ref={props.measure}
      id={rowId(log.id)}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={props.isOpen}
      className={styles.row}
      data-index={index}
      data-severity={severity}
      data-active={props.isActive}
      data-wrapped={isWrapped}
      data-testid={testIds.resultRow}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={open}
    >
      <span role="gridcell" className={styles.time}>
        <RowTime timestamp={log.timestamp} zone={props.zone} />
      </span>
      <span role="gridcell" className={styles.severity}>
        {severityLabel(severity)}
      </span>
      {columns.map(({ field }) => (
        <ColumnCell key={field} field={field} text={columnText(log, field)} />
      ))}
      <span role="gridcell" className={styles.message}>
        <MarkedText segments={message} isOneLine={!isWrapped} />
        {attributes.map(({ name, value }) => (
          <span key={name} className={styles.attribute}>
            <span className={styles.name}>
              <LoggedText text={name} isOneLine />=
            </span>
            <LoggedText text={value} isOneLine />
          </span>
        ))}
      </span>
    </div>
  );
});

function ColumnCell({ field, text }: { field: string; text: string }) {
  return (
    <span role="gridcell" className={styles.column} data-field={field} title={visibleText(text)}>
      <LoggedText text={text} isOneLine />
    </span>
  );
}

function RowTime({ timestamp, zone }: { timestamp: string; zone: TimeZoneChoice }) {
  const time = parseRfc3339(timestamp);
  if (time === null) return timestamp;
  const { date, clock, milliseconds } = rowTimeParts(time, zone);
  return (
    <>
      <span className={styles.date}>{`${date} `}</span>
      {`${clock}.${milliseconds}`}
    </>
  );
}

import { memo, useMemo } from "react";
import type { Log } from "../api/types";
import { type Columns, MESSAGE } from "../columns/columns";
import { columnAttribute, columnText } from "../columns/columnText";
import type { Matcher } from "../language/matchRanges";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { MarkedText } from "../text/MarkedText";
import { segments } from "../text/segments";
import { visibleText } from "../text/signs";
import type { TimeZoneChoice } from "../time/format";
import { rowTimeParts } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import { inlineAttributes } from "./inlineAttributes";
import styles from "./ResultRow.module.css";
import { lineSegments } from "./rowText";
import { isNothingSelected } from "./textSelection";

interface ResultRowProps {
  readonly log: Log;
  readonly columns: Columns;
  readonly index: number;
  /** Distance from the first row, in CSS pixels. */
  readonly top: number;
  /** Number of characters that fill a row of one line. */
  readonly lineLength: number;
  readonly matcher: Matcher;
  readonly zone: TimeZoneChoice;
  readonly isWrapped: boolean;
  /** True for a list that is too narrow for dates. */
  readonly isNarrow: boolean;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly measure: (element: HTMLElement | null) => void;
  readonly onOpen: (id: string) => void;
}

/** Largest number of UTF-16 characters of a value in a column. The widest column shows fewer. */
const MAX_SHOWN = 300;

export const rowId = (id: string) => `row-${id}`;

export const ResultRow = memo(function ResultRow(props: ResultRowProps) {
  const { log, columns, index, matcher, isWrapped, lineLength } = props;
  const severity = severityOf(log.severity_number);
  const message = useMemo(
    () => (isWrapped ? segments(log.body, matcher) : lineSegments(log.body, matcher, lineLength)),
    [log.body, matcher, isWrapped, lineLength],
  );
  // A message that fills the line leaves no room for attributes behind it.
  const length = message.reduce((sum, { text }) => sum + text.length, 0);
  const room = isWrapped ? Number.POSITIVE_INFINITY : lineLength - length;
  const attributes = useMemo(() => {
    if (room <= 0) return [];
    const inColumns = new Set(columns.map(({ field }) => columnAttribute(log, field)));
    return inlineAttributes(log.attributes, inColumns, room);
  }, [log, columns, room]);
  const open = () => {
    // A click that ends the selection of text to copy must not open the record.
    if (isNothingSelected()) props.onOpen(log.id);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around the rows has the keys (useListKeys)
    <div
      // Rows of one line have the same height, and measuring them would lay out the list twice in each frame.
      ref={isWrapped ? props.measure : undefined}
      id={rowId(log.id)}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={props.isOpen}
      className={styles.row}
      data-index={isWrapped ? index : undefined}
      data-severity={severity}
      data-active={props.isActive}
      data-wrapped={isWrapped}
      data-testid={testIds.resultRow}
      style={{ top: props.top }}
      onClick={open}
    >
      <span role="gridcell" className={styles.time}>
        {rowTime(log.timestamp, props.zone, props.isNarrow)}
      </span>
      <span role="gridcell" className={styles.severity}>
        {severityLabel(severity)}
      </span>
      {columns.map(({ field }) =>
        field === MESSAGE ? (
          <span key={field} role="gridcell" className={styles.message}>
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
        ) : (
          <ColumnCell key={field} field={field} text={columnText(log, field)} />
        ),
      )}
    </div>
  );
});

/** Shows the beginning of a value. A long value would slow down each row that is scrolled into view. */
function ColumnCell({ field, text }: { field: string; text: string }) {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
  return (
    <span role="gridcell" className={styles.column} data-field={field} title={visibleText(shown)}>
      <LoggedText text={shown} isOneLine />
    </span>
  );
}

function rowTime(timestamp: string, zone: TimeZoneChoice, isNarrow: boolean): string {
  const time = parseRfc3339(timestamp);
  if (time === null) return timestamp;
  const { date, clock, milliseconds } = rowTimeParts(time, zone);
  return `${isNarrow ? "" : `${date} `}${clock}.${milliseconds}`;
}

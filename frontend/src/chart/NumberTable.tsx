import { useMemo, useState } from "react";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { formatRowTime } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import styles from "./Chart.module.css";
import { cellText } from "./cellText";
import type { OpenGroup } from "./openGroup";
import { SortHead } from "./SortHead";
import { type RowOrder, sortRows } from "./sortRows";
import { type StatsTable, valueText } from "./statsRows";

/** Largest number of rows that are drawn, so that the page stays fast. An exported file has all rows. */
export const MAX_SHOWN = 500;

interface NumberTableProps {
  readonly table: StatsTable;
  readonly onOpen: OpenGroup;
}

/**
 * Table of the values of all functions: one row for each group or, with time buckets, for each group and bucket. Clicks
 * on headings sort its rows.
 */
export function NumberTable({ table, onOpen }: NumberTableProps) {
  const { zone } = usePreferences();
  const { fields, functions, hasTime, rows } = table;
  const [order, setOrder] = useState<RowOrder | null>(null);
  const sorted = useMemo(() => sortRows(rows, order), [rows, order]);
  const sorting = { order, onOrder: setOrder };
  const timeText = (start: string | null) => {
    const time = start === null ? null : parseRfc3339(start);
    return time === null ? "" : formatRowTime(time, zone).replace(/\.000$/, "");
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region needs a Tab stop to be scrolled by keyboard
    <section className={styles.scrolled} aria-label="Numbers" tabIndex={0}>
      <table className={styles.table} data-testid={testIds.chartTable}>
        <thead>
          <tr>
            {hasTime && (
              <SortHead column={{ kind: "time" }} {...sorting}>
                Time
              </SortHead>
            )}
            {fields.map((field, place) => (
              <SortHead key={field} column={{ kind: "field", place }} {...sorting}>
                {visibleText(field)}
              </SortHead>
            ))}
            {functions.map(({ name, unit }, place) => (
              <SortHead key={name} column={{ kind: "function", place }} {...sorting}>
                {visibleText(name)}
                {unit !== null && <small> {unit}</small>}
              </SortHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, MAX_SHOWN).map(({ kind, group, start, cells }) => (
            <tr key={JSON.stringify([kind, start, ...group])}>
              {hasTime && <td>{timeText(start)}</td>}
              {kind === "other" && fields.length > 0 && (
                <th scope="row" colSpan={fields.length}>
                  other
                </th>
              )}
              {kind === "group" &&
                fields.map((field, place) => (
                  <td key={field}>
                    <button
                      type="button"
                      className={styles.open}
                      title="Show these logs"
                      data-testid={testIds.chartGroup}
                      onClick={() => onOpen(group)}
                    >
                      {valueText(group[place] ?? null, field)}
                    </button>
                  </td>
                ))}
              {cells.map((cell, place) => (
                <td key={functions[place]?.name} className={styles.number}>
                  {cellText(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

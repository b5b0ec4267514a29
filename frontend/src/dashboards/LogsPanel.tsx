import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { asProblem } from "../api/problem";
import type { Log } from "../api/types";
import { MESSAGE } from "../columns/columns";
import { columnText } from "../columns/columnText";
import { usePreferences } from "../preferences/preferences";
import { severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { MessageCell, SeverityCell } from "../text/LogCells";
import { LoggedText } from "../text/LoggedText";
import { shownRowTime } from "../time/shownTime";
import { Failure } from "../ui/Failure";
import { ROVING, useRoving } from "../ui/useRoving";
import { DEFAULT_STATE, type SearchState } from "../url/searchState";
import { stateOf } from "../views/viewState";
import type { PanelBodyProps } from "./NumbersPanel";
import styles from "./Panel.module.css";
import { PanelProgress } from "./PanelProgress";
import { useNewestLogs } from "./useNewestLogs";

/** The newest logs of a view without `| stats`, with the view's columns. */
export function LogsPanel({ view, range, window, isOn }: PanelBodyProps) {
  const found = useNewestLogs(view.query, window, isOn);
  const { data, error, isFetching, isPlaceholderData } = found;
  if (error !== null) return <Failure problem={asProblem(error)} onRetry={() => void found.refetch()} />;
  const search: SearchState = { ...DEFAULT_STATE, ...stateOf(view), ...range };
  const fields = view.columns.flatMap(({ field }) => (field === MESSAGE ? [] : field));
  return (
    <>
      {isFetching && <PanelProgress label="Searching" />}
      {data === undefined && <p className={styles.note}>Searching…</p>}
      {data?.length === 0 && <p className={styles.note}>No logs match in this range.</p>}
      {data !== undefined && data.length > 0 && (
        <NewestLogs logs={data} fields={fields} search={search} isStale={isPlaceholderData} />
      )}
    </>
  );
}

interface NewestLogsProps {
  readonly logs: readonly Log[];
  /** Fields of the view's columns. */
  readonly fields: readonly string[];
  /** The search that a log opens in. */
  readonly search: SearchState;
  readonly isStale: boolean;
}

function NewestLogs({ logs, fields, search, isStale }: NewestLogsProps) {
  const { zone } = usePreferences();
  const list = useRef<HTMLOListElement>(null);
  useRoving(list);
  return (
    <ol ref={list} className={styles.logs} aria-label="Newest logs" data-stale={isStale}>
      {logs.map((log) => (
        <li key={log.id} data-severity={severityOf(log.severity_number)}>
          <Link
            {...ROVING}
            to="/"
            search={{ ...search, record: log.id }}
            preload={false}
            className={styles.log}
            data-testid={testIds.panelLog}
          >
            <span className={styles.time}>{shownRowTime(log.timestamp, zone)}</span>
            <SeverityCell log={log} />
            {fields.map((field) => (
              <span key={field} className={styles.value}>
                <LoggedText text={columnText(log, field)} isOneLine />
              </span>
            ))}
            <MessageCell log={log} className={styles.message} lines={1} />
          </Link>
        </li>
      ))}
    </ol>
  );
}

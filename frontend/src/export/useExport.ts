import { useEffect, useRef, useState } from "react";
import type { ExportFormat } from "../api/logsApi";
import { type ApiProblem, asProblem } from "../api/problem";
import { useSession } from "../session/SessionContext";
import type { TimeWindow } from "../time/timeExpression";
import { useLatest } from "../ui/useLatest";
import type { SearchState } from "../url/searchState";
import { receiveFile } from "./receiveFile";
import { recordCounter } from "./recordCount";
import { saveFile } from "./saveFile";

type ExportedSearch = Pick<SearchState, "query" | "from" | "to" | "order">;

/** A file that was saved, and the search whose records it has. */
export interface SavedExport {
  readonly name: string;
  readonly records: number;
  readonly search: ExportedSearch;
}

/** The reason why an export failed, and the search that was shown at that time. */
interface FailedExport {
  readonly problem: ApiProblem;
  readonly search: ExportedSearch;
}

export interface RunningExport {
  /** Bytes received; null when no export runs. */
  readonly bytes: number | null;
  /** Reason why the last export failed, until it is dismissed, another export starts or another search is shown. */
  readonly problem: ApiProblem | null;
  /** The file of the last export of this search, until it is dismissed or another export starts. */
  readonly saved: SavedExport | null;
  /** `columns` are the names of a CSV file's columns; null for all members of the records. */
  readonly start: (format: ExportFormat, columns: readonly string[] | null) => void;
  readonly cancel: () => void;
  readonly dismiss: () => void;
}

/**
 * Exports the search that the page shows: its query, its order, and the window, which is its range with fixed times. The
 * export runs until the component that uses this hook is removed.
 */
export function useExport(search: ExportedSearch, window: TimeWindow | null): RunningExport {
  const { api } = useSession();
  const [bytes, setBytes] = useState<number | null>(null);
  const [failed, setFailed] = useState<FailedExport | null>(null);
  const [saved, setSaved] = useState<SavedExport | null>(null);
  const shownSearch = useLatest(() => search);
  const running = useRef<AbortController | null>(null);
  // Leaving the page ends the export. So does signing out, so that no more of the tenant's records are saved.
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: ExportFormat, columns: readonly string[] | null) => {
    if (window === null) return;
    const controller = new AbortController();
    running.current = controller;
    setFailed(null);
    setSaved(null);
    setBytes(0);
    const counter = recordCounter(format);
    try {
      const { name, body } = await api.export(
        { query: search.query, ...window },
        search.order,
        format,
        columns,
        controller.signal,
      );
      const file = await receiveFile(body, (piece, received) => {
        counter.add(piece);
        setBytes(received);
      });
      saveFile(name, file);
      setSaved({ name, records: counter.count(), search });
    } catch (error) {
      // The user may have started another search meanwhile, and must still see that no file was saved.
      if (!controller.signal.aborted) setFailed({ problem: asProblem(error), search: shownSearch() });
    } finally {
      setBytes(null);
    }
  };
  return {
    bytes,
    problem: failed !== null && isSameSearch(failed.search, search) ? failed.problem : null,
    saved: saved !== null && isSameSearch(saved.search, search) ? saved : null,
    start: (format, columns) => void start(format, columns),
    cancel: () => running.current?.abort(),
    dismiss: () => {
      setFailed(null);
      setSaved(null);
    },
  };
}

/** Compares the ranges as they were chosen, because each refresh and each live tail fixes the times of a range anew. */
function isSameSearch(one: ExportedSearch, other: ExportedSearch): boolean {
  return one.query === other.query && one.from === other.from && one.to === other.to;
}

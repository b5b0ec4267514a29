import { useEffect, useRef, useState } from "react";
import type { ExportFormat } from "../api/logsApi";
import { type ApiProblem, asProblem } from "../api/problem";
import { useSession } from "../session/SessionContext";
import type { TimeWindow } from "../time/timeExpression";
import type { Order } from "../url/searchState";
import { receiveFile } from "./receiveFile";
import { recordCounter } from "./recordCount";
import { saveFile } from "./saveFile";

/** A file that was saved, and the search whose records it has. */
export interface SavedExport {
  readonly name: string;
  readonly records: number;
  readonly query: string;
  readonly window: TimeWindow;
}

export interface RunningExport {
  /** Bytes received; null when no export runs. */
  readonly bytes: number | null;
  readonly problem: ApiProblem | null;
  /** The file of the last export of this search, until it is dismissed or another export starts. */
  readonly saved: SavedExport | null;
  /** `columns` are the names of a CSV file's columns; null for all members of the records. */
  readonly start: (format: ExportFormat, columns: readonly string[] | null) => void;
  readonly cancel: () => void;
  readonly dismiss: () => void;
}

/** Exports the search that the page shows: its query, its fixed range, its order. */
export function useExport(query: string, window: TimeWindow | null, order: Order): RunningExport {
  const { api } = useSession();
  const [bytes, setBytes] = useState<number | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [saved, setSaved] = useState<SavedExport | null>(null);
  const running = useRef<AbortController | null>(null);
  // Signing out ends the export, so that no more of the tenant's records are saved.
  useEffect(() => () => running.current?.abort(), []);
  const start = async (format: ExportFormat, columns: readonly string[] | null) => {
    if (window === null) return;
    const controller = new AbortController();
    running.current = controller;
    setProblem(null);
    setSaved(null);
    setBytes(0);
    const counter = recordCounter(format);
    try {
      const { name, body } = await api.export(
        { query, ...window },
        order,
        format,
        columns,
        controller.signal,
      );
      const file = await receiveFile(body, (piece, received) => {
        counter.add(piece);
        setBytes(received);
      });
      saveFile(name, file);
      setSaved({ name, records: counter.count(), query, window });
    } catch (error) {
      if (!controller.signal.aborted) setProblem(asProblem(error));
    } finally {
      setBytes(null);
    }
  };
  return {
    bytes,
    problem,
    saved: saved?.query === query && saved.window === window ? saved : null,
    start: (format, columns) => void start(format, columns),
    cancel: () => running.current?.abort(),
    dismiss: () => {
      setProblem(null);
      setSaved(null);
    },
  };
}

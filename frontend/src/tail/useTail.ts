import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Log } from "../api/types";
import { useSession } from "../session/SessionContext";
import { type ConnectTail, followTail, type TailStatus } from "./followTail";
import { rateMeter } from "./rateMeter";
import { arrived, EMPTY_VIEW, MAX_ROWS, type TailView } from "./tailView";
import { useTailTurn } from "./useTailTurn";

/** Smallest number of milliseconds between two updates of the page, however fast logs arrive. */
const DRAW_MS = 200;

export interface Tail {
  readonly view: TailView;
  readonly status: TailStatus;
  /** Logs a second. */
  readonly rate: number;
  /** Reason why records are missing between the shown ones; null if none are missing. */
  readonly gap: string | null;
  readonly dismissGap: () => void;
  /** Continues a failed tail after its last event. Sets `gap` if the server refuses that. */
  readonly restart: () => void;
}

/** Runs a tail while the component that uses it is shown. Logs that arrive during a pause wait. */
export function useTail(query: string, isPaused: boolean): Tail {
  const { api, tenant } = useSession();
  const queryClient = useQueryClient();
  const [view, setView] = useState(EMPTY_VIEW);
  const [status, setStatus] = useState<TailStatus>({ kind: "connecting" });
  const [rate, setRate] = useState(0);
  const [gap, setGap] = useState<string | null>(null);
  const [restarts, setRestarts] = useState(0);
  /** Id of the last event, after which the next stream continues. */
  const lastId = useRef<string | null>(null);
  const isOn = useTailTurn();
  const paused = useRef(isPaused);

  useEffect(() => {
    paused.current = isPaused;
    setView((shown) => arrived(shown, [], isPaused));
  }, [isPaused]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a restart opens another stream
  useEffect(() => {
    if (!isOn) return;
    setStatus({ kind: "connecting" });
    const controller = new AbortController();
    let batch: Log[] = [];
    let batchCount = 0;
    let second = 0;
    const rateOf = rateMeter(performance.now());
    const draw = () => {
      if (batchCount === 0) return;
      const [logs, isNowPaused, dropped] = [batch, paused.current, batchCount - batch.length];
      [batch, batchCount] = [[], 0];
      setView((shown) => {
        const next = arrived(shown, logs, isNowPaused);
        return isNowPaused ? { ...next, waitingCount: next.waitingCount + dropped } : next;
      });
    };
    const drawing = setInterval(draw, DRAW_MS);
    const measure = setInterval(() => {
      setRate(rateOf(second, performance.now()));
      second = 0;
    }, 1_000);
    const listener = {
      onLog: (log: Log) => {
        batch.push(log);
        batchCount += 1;
        second += 1;
        // A page in the background is drawn rarely, so logs that exceed the number of kept rows are dropped.
        if (batch.length >= 2 * MAX_ROWS) batch = batch.slice(-MAX_ROWS);
      },
      onGap: setGap,
      onReached: (id: string | null) => {
        lastId.current = id;
      },
      onStatus: (next: TailStatus) => {
        if (next.kind === "failed" && next.problem.isUnauthorized) {
          // A refused key ends the session in the query cache, which has seen this failure.
          queryClient
            .query({ queryKey: ["tail-refused", tenant], queryFn: () => api.tenant(), staleTime: 0 })
            .catch(() => {});
        }
        setStatus(next);
      },
    };
    const connect: ConnectTail = (id, signal) => api.tail(query, id, signal);
    void followTail(connect, listener, controller.signal, lastId.current);
    return () => {
      controller.abort();
      clearInterval(drawing);
      clearInterval(measure);
      // The next stream continues after these logs.
      draw();
    };
  }, [api, tenant, queryClient, query, restarts, isOn]);

  const restart = () => {
    if (status.kind !== "failed") return;
    // The server refuses an id that it cannot read, such as that of another release, each time.
    const isIdRefused = status.problem.code === "invalid_cursor";
    if (isIdRefused) {
      setGap("the server refused to continue after the last log");
      lastId.current = null;
    }
    setRestarts(restarts + 1);
  };
  return { view, status, rate, gap, dismissGap: () => setGap(null), restart };
}

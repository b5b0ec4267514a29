import { parseLogJson } from "../api/logJson";
import { ApiProblem, asProblem, problemFrom } from "../api/problem";
import type { Log } from "../api/types";
import { EventParser, type ServerEvent } from "./sse";

/**
 * State of a tail: `waiting` while Kafka does not answer, `reconnecting` while there is no stream, `failed` when no
 * attempt can succeed.
 */
export type TailStatus =
  | { readonly kind: "connecting" | "live" }
  | { readonly kind: "waiting" | "reconnecting"; readonly detail: string }
  | { readonly kind: "failed"; readonly problem: ApiProblem };

export interface TailListener {
  onLog(log: Log): void;
  /** Records are missing between the last log and the next. */
  onGap(detail: string): void;
  onStatus(status: TailStatus): void;
  /** Called for each part of the stream with the id of its last event, after which another call of `followTail` continues. */
  onReached(id: string | null): void;
}

/** Opens a stream that continues after the event with this id, or begins now. */
export type ConnectTail = (lastId: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Milliseconds without any data after which a stream counts as dead. Heartbeats come every ten seconds. */
const SILENCE_MS = 30_000;
const AGAIN_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Follows a tail across lost connections, until it is aborted or a retry cannot help. Continues after the event `lastId`,
 * or begins now. Never rejects.
 */
export async function followTail(
  connect: ConnectTail,
  listener: TailListener,
  signal: AbortSignal,
  lastId: string | null,
  wait: Wait = sleepLonger,
): Promise<void> {
  let reached = lastId;
  let delay = AGAIN_MS / 2;
  while (!signal.aborted) {
    const parser: EventParser = new EventParser(reached);
    let ending: ApiProblem;
    try {
      ending = await readStream(connect, parser, listener, signal);
    } catch (error) {
      ending = asProblem(error);
    }
    delay = parser.lastId === reached ? Math.min(2 * delay, LONGEST_WAIT_MS) : AGAIN_MS;
    reached = parser.lastId;
    if (signal.aborted) return;
    if (isForGood(ending)) return listener.onStatus({ kind: "failed", problem: ending });
    listener.onStatus({ kind: "reconnecting", detail: ending.message });
    await wait(delay, signal);
  }
}

/** Reads one connection to its end, and returns the reason for which it ended. */
async function readStream(
  connect: ConnectTail,
  parser: EventParser,
  listener: TailListener,
  signal: AbortSignal,
): Promise<ApiProblem> {
  const connection = new AbortController();
  const abort = () => connection.abort();
  signal.addEventListener("abort", abort);
  let alarm = setTimeout(abort, SILENCE_MS);
  try {
    const body = await connect(parser.lastId, connection.signal);
    listener.onStatus({ kind: "live" });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return new ApiProblem(0, "broken_off", "the connection was lost");
      clearTimeout(alarm);
      alarm = setTimeout(abort, SILENCE_MS);
      const events = parser.push(decoder.decode(value, { stream: true }));
      listener.onReached(parser.lastId);
      for (const event of events) {
        const ending = report(event, listener);
        if (ending !== null) return ending;
      }
    }
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    throw new ApiProblem(0, "broken_off", "the connection was lost");
  } finally {
    clearTimeout(alarm);
    signal.removeEventListener("abort", abort);
    connection.abort();
  }
}

function report(event: ServerEvent, listener: TailListener): ApiProblem | null {
  if (event.name === "log") {
    listener.onLog(parseLogJson(event.data) as Log);
    return null;
  }
  const data = JSON.parse(event.data);
  if (event.name === "gap") listener.onGap(String(data.detail));
  else if (event.name === "interrupted") listener.onStatus({ kind: "waiting", detail: String(data.detail) });
  else if (event.name === "restored") listener.onStatus({ kind: "live" });
  else if (event.name === "end") return problemFrom(Number(data.status), data);
  return null;
}

/** Returns true if a retry of the request cannot help. Too many requests (429) is a passing error. */
function isForGood({ status }: ApiProblem): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/**
 * Sleeps up to twice as long, because all tails of a server that stops lose their connections at the same time and should
 * not come back at the same time.
 */
function sleepLonger(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds * (1 + Math.random()), signal);
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener("abort", wake);
  });
}

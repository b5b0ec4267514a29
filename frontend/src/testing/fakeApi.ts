import { vi } from "vitest";
import type { Log } from "../api/types";

export interface FakeAnswer {
  readonly status?: number;
  readonly body: unknown;
  /** Content type of the answer, if it is not the one that the API sends. */
  readonly type?: string;
  /** Lines of a streamed search, sent instead of the body. */
  readonly lines?: ReadableStream<Uint8Array>;
}

type Route = (search: URLSearchParams, path: string, key: string | null) => FakeAnswer | Promise<FakeAnswer>;

/** Answers of the API by path. The first route whose pattern matches is used. */
export interface FakeApi {
  /** Paths and query strings of the requests, in order. */
  readonly requests: string[];
  /** The requests in order. Their bodies have not been read. */
  readonly sent: readonly Request[];
  on(pattern: RegExp, route: Route): void;
}

export const HISTOGRAM: FakeAnswer = {
  body: { interval_ns: 30_000_000_000, buckets: [], by: null, series: [] },
};

export const COUNTING = {
  basis: "inserted",
  sampled: null,
  start: "2026-11-21T01:00:00.000000000Z",
  end: "2026-11-21T02:00:00.000000000Z",
};

/** Replaces fetch by a server that signs everybody in to "demo" and has no logs, unless a test sets other answers. */
export function installFakeApi(): FakeApi {
  const routes: [RegExp, Route][] = [
    [/tenant$/, () => ({ body: { name: "demo", retention_days: 30 } })],
    [/logs\/search$/, () => searchPage([])],
    [/logs\/histogram$/, () => HISTOGRAM],
    [/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields: [] } })],
  ];
  const requests: string[] = [];
  // In Node an abort reaches a request's signal only while the request itself is in use, and garbage collection may come
  // before the abort.
  const inUse: Request[] = [];
  vi.stubGlobal("fetch", async (input: Request) => {
    inUse.push(input);
    const url = new URL(input.url);
    requests.push(url.pathname + url.search);
    const route = routes.find(([pattern]) => pattern.test(url.pathname));
    const key = input.headers.get("Authorization")?.replace("Bearer ", "") ?? null;
    const answer =
      (await route?.[1](url.searchParams, url.pathname, key)) ?? problem(404, "not_found", "no such path");
    const status = answer.status ?? 200;
    if (answer.lines !== undefined) {
      // As in a browser, an abort of the request ends its answer too.
      const lines = answer.lines.pipeThrough(new TransformStream(), { signal: input.signal });
      return new Response(lines, { headers: { "Content-Type": "application/x-ndjson" } });
    }
    const type = answer.type ?? (status < 400 ? "application/json" : "application/problem+json");
    return new Response(JSON.stringify(answer.body), { status, headers: { "Content-Type": type } });
  });
  return { requests, sent: inUse, on: (pattern, route) => routes.unshift([pattern, route]) };
}

export function searchPage(logs: readonly Log[], nextCursor: string | null = null): FakeAnswer {
  const stats = {
    elapsed_ms: 4.2,
    rows_read: 8192,
    bytes_read: 1_000_000,
    granules_total: 10,
    granules_read: 1,
    plan: "in_order",
    windows: 1,
  };
  return { body: { logs, next_cursor: nextCursor, stats, hints: [] } };
}

export function problem(status: number, code: string, detail: string, more: object = {}): FakeAnswer {
  return { status, body: { type: "about:blank", title: code, status, code, detail, ...more } };
}

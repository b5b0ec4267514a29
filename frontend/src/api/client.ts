import createClient from "openapi-fetch";
import { toRfc3339 } from "../time/nanoseconds";
import { exportColumns } from "./exportColumns";
import { parseLogJson } from "./logJson";
import type { ExportFormat, LogsApi, WindowQuery } from "./logsApi";
import { ApiProblem, isAbort, networkProblem, problemFrom } from "./problem";
import type { paths } from "./schema";
import { parsedPage, receivePage, STREAM_TYPE } from "./searchStream";
import type { Context, Log, SearchPage } from "./types";

/** Number of records on one page of results, except the first. */
export const PAGE_SIZE = 200;

/** Number of records on the first page: a few screens of rows. More rows would delay the first ones. */
const FIRST_PAGE_SIZE = 100;

/** Largest number of a field's values that are shown or suggested. */
const MAX_VALUES = 20;

/** Largest number of patterns that are shown. */
const MAX_PATTERNS = 50;

/** Name of the plan that leaves the choice to the server. */
const ANY_PLAN = "auto" as const;

/** Content types of the files of an export, without parameters. */
const EXPORT_TYPES: Record<ExportFormat, string> = { ndjson: STREAM_TYPE, csv: "text/csv" };

/** Longest query, in bytes of UTF-8, that is sent in a URL, where each byte may take three characters. */
const LONG_QUERY_BYTES = 1_000;

/** Throws the problem for text that cannot be a record's id. In a path, it may name another endpoint, such as the tail. */
function requireRecordId(id: string): void {
  if (/^[0-9a-f]+$/.test(id)) return;
  const detail = `${id} is not the id of a record: an id has 48 hexadecimal digits; copy the link to the record again`;
  throw new ApiProblem(404, "not_found", detail);
}

export interface FetchResult<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns an API client that sends this key. Null is enough for signing in, which needs no key. */
export function createLogsApi(queryKey: string | null): LogsApi {
  const client = createClient<paths>({
    baseUrl: window.location.origin,
    headers: queryKey === null ? {} : { Authorization: `Bearer ${queryKey}` },
  });
  const windowOf = ({ query, start, end }: WindowQuery) => ({
    query,
    start: toRfc3339(start),
    end: toRfc3339(end),
  });
  return {
    uiSession: (token) =>
      answer(client.POST("/api/v1/ui/session", { params: { header: { "X-Logsieve-Sign-In": token } } })),
    tenant: () => answer(client.GET("/api/v1/tenant")),
    search: async (search, order, cursor, signal, onPart) => {
      const query = {
        ...windowOf(search),
        order,
        limit: cursor === null ? FIRST_PAGE_SIZE : PAGE_SIZE,
        plan: ANY_PLAN,
        ...(cursor === null ? {} : { cursor }),
      };
      const headers = { Accept: `${STREAM_TYPE}, application/json` };
      const request = isLong(search.query)
        ? client.POST("/api/v1/logs/search", { body: query, headers, parseAs: "stream", signal })
        : client.GET("/api/v1/logs/search", { params: { query }, headers, parseAs: "stream", signal });
      const body = (await answer<ReadableStream<Uint8Array> | null>(request)) ?? new Blob([]).stream();
      const type = (await request).response.headers.get("Content-Type") ?? "";
      return type.startsWith(STREAM_TYPE) ? receivePage(body, onPart) : wholePage(body);
    },
    everywhere: async (text, order, cursor, signal, limit = PAGE_SIZE) => {
      const query = {
        query: text,
        order,
        limit,
        plan: ANY_PLAN,
        ...(cursor === null ? {} : { cursor }),
      };
      const options = { params: { query }, parseAs: "text", signal } as const;
      return parsed(await answer(client.GET("/api/v1/logs/search", options)), parsedPage);
    },
    histogram: (search, buckets, by, signal) => {
      const query = { ...windowOf(search), buckets, ...(by === null ? {} : { by }) };
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/histogram", { body: query, signal })
          : client.GET("/api/v1/logs/histogram", { params: { query }, signal }),
      );
    },
    stats: (search, signal) => {
      const query = windowOf(search);
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/stats", { body: query, signal })
          : client.GET("/api/v1/logs/stats", { params: { query }, signal }),
      );
    },
    patterns: (search, signal) => {
      const query = { ...windowOf(search), limit: MAX_PATTERNS };
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/patterns", { body: query, signal })
          : client.GET("/api/v1/logs/patterns", { params: { query }, signal }),
      );
    },
    explain: (search, order, analyze, signal) => {
      const query = { ...windowOf(search), order, limit: FIRST_PAGE_SIZE, plan: ANY_PLAN, analyze };
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/explain", { body: query, signal })
          : client.GET("/api/v1/logs/explain", { params: { query }, signal }),
      );
    },
    fields: (search, signal) => {
      const query = windowOf(search);
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/fields", { body: query, signal })
          : client.GET("/api/v1/logs/fields", { params: { query }, signal }),
      );
    },
    fieldValues: (search, name, prefix, signal) => {
      const query = { ...windowOf(search), prefix, limit: MAX_VALUES };
      const options = signal === undefined ? {} : { signal };
      return answer(
        isLong(search.query)
          ? client.POST("/api/v1/logs/fields/{name}/values", {
              params: { path: { name } },
              body: query,
              ...options,
            })
          : client.GET("/api/v1/logs/fields/{name}/values", {
              params: { path: { name }, query },
              ...options,
            }),
      );
    },
    newest: async (search, limit, signal) => {
      const query = { ...windowOf(search), order: "desc", limit, plan: ANY_PLAN } as const;
      const options = { parseAs: "text", signal } as const;
      const request = isLong(search.query)
        ? client.POST("/api/v1/logs/search", { body: query, ...options })
        : client.GET("/api/v1/logs/search", { params: { query }, ...options });
      return parsed(await answer(request), parsedPage).logs;
    },
    usage: ({ start, end }, interval, signal) => {
      const query = { start: toRfc3339(start), end: toRfc3339(end), interval };
      return answer(client.GET("/api/v1/usage", { params: { query }, signal }));
    },
    log: async (id, signal) => {
      requireRecordId(id);
      const options = { params: { path: { id } }, parseAs: "text", signal } as const;
      return parsed(await answer(client.GET("/api/v1/logs/{id}", options)), parsedLog);
    },
    context: async (id, around, signal) => {
      const options = { params: { path: { id }, query: { ...around } }, parseAs: "text", signal } as const;
      return parsed<Context>(await answer(client.GET("/api/v1/logs/{id}/context", options)));
    },
    tail: async (query, lastId, signal) => {
      const header = lastId === null ? {} : { "last-event-id": lastId };
      const body = await answer<ReadableStream<Uint8Array> | null>(
        isLong(query)
          ? client.POST("/api/v1/logs/tail", {
              params: { header },
              body: { query },
              parseAs: "stream",
              signal,
            })
          : client.GET("/api/v1/logs/tail", {
              params: { query: { query }, header },
              parseAs: "stream",
              signal,
            }),
      );
      return body ?? new Blob([]).stream();
    },
    export: async (search, order, format, columns, signal) => {
      const chosen = columns === null ? {} : { columns: exportColumns(columns) };
      const query = { ...windowOf(search), order, format, ...chosen };
      const request = isLong(search.query)
        ? client.POST("/api/v1/logs/export", { body: query, parseAs: "stream", signal })
        : client.GET("/api/v1/logs/export", { params: { query }, parseAs: "stream", signal });
      const body = await answer<ReadableStream<Uint8Array> | null>(request);
      const { headers } = (await request).response;
      // A file of another type is a page of a proxy.
      if (!headers.get("Content-Type")?.startsWith(EXPORT_TYPES[format])) {
        await body?.cancel();
        throw problemFrom(502, null);
      }
      const disposition = headers.get("Content-Disposition") ?? "";
      const name = /filename="([^"/\\]+)"/.exec(disposition)?.[1] ?? `logs.${format}`;
      return { name, body: body ?? new Blob([]).stream() };
    },
  };
}

/**
 * Returns true for a query that is too long for the address of a request: proxies and servers cut addresses at about 8
 * KiB.
 */
export function isLong(query: string): boolean {
  return new TextEncoder().encode(query).length > LONG_QUERY_BYTES;
}

/** Returns the page from a server that answers without streaming. */
function wholePage(body: ReadableStream<Uint8Array>): Promise<SearchPage> {
  return new Response(body).text().then((text) => parsed(text, parsedPage), notReceived);
}

/** Parses a record. Throws a SyntaxError for any other text, such as that of another route whose name is in a link. */
function parsedLog(text: string): Log {
  const log = parseLogJson(text) as Log | null;
  if (typeof log?.id !== "string") throw new SyntaxError("the answer is no record");
  return log;
}

/** Parses JSON that contains records. Throws an ApiProblem for text that is not JSON. */
function parsed<Body>(text: string, parse = parseLogJson as (text: string) => Body): Body {
  try {
    return parse(text);
  } catch (error) {
    return notReceived(error);
  }
}

/** Returns the body of a request's answer. Throws an ApiProblem for an answer without one. */
export async function answer<Body>(request: Promise<FetchResult<Body>>): Promise<Body> {
  const { response, data, error } = await request.catch(notReceived);
  if (!response.ok || data === undefined) throw problemFrom(response.status, error);
  return data;
}

/** Waits for the answer to a request without returning its body. Throws an ApiProblem for an error. */
export async function done(request: Promise<FetchResult<unknown>>): Promise<void> {
  const { response, error } = await request.catch(notReceived);
  if (!response.ok) throw problemFrom(response.status, error);
}

/**
 * Returns the error with which a failed request rejects: its abort, or an ApiProblem. A 200 that is not JSON comes from
 * a proxy.
 */
function notReceived(error: unknown): never {
  if (isAbort(error)) throw error;
  throw error instanceof SyntaxError ? problemFrom(502, null) : networkProblem();
}

import { toRfc3339 } from "../time/nanoseconds";
import { answer, createApiClient, notReceived } from "./apiClient";
import { exportColumns } from "./exportColumns";
import { parseLogJson } from "./logJson";
import type { ExportFormat, LogsApi, WindowQuery } from "./logsApi";
import { ApiProblem, problemFrom } from "./problem";
import { createQueryRequests } from "./queryRequests";
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

/** Throws the problem for text that cannot be a record's id. In a path, it may name another endpoint, such as the tail. */
function requireRecordId(id: string): void {
  if (/^[0-9a-f]+$/.test(id)) return;
  const detail = `${id} is not the id of a record: an id has 48 hexadecimal digits; copy the link to the record again`;
  throw new ApiProblem(404, "not_found", detail);
}

/** Returns an API client that sends this key. Null is enough for signing in, which needs no key. */
export function createLogsApi(queryKey: string | null): LogsApi {
  const client = createApiClient(queryKey);
  const { read, readText, open } = createQueryRequests(client);
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
      const limit = cursor === null ? FIRST_PAGE_SIZE : PAGE_SIZE;
      const query = { ...windowOf(search), order, limit, plan: ANY_PLAN, ...at(cursor) };
      const options = { signal, headers: { Accept: `${STREAM_TYPE}, application/json` } };
      const { headers, body } = await open("/api/v1/logs/search", query, options);
      return headers.get("Content-Type")?.startsWith(STREAM_TYPE)
        ? receivePage(body, onPart)
        : wholePage(body);
    },
    everywhere: async (text, order, cursor, signal, limit = PAGE_SIZE) => {
      const query = { query: text, order, limit, plan: ANY_PLAN, ...at(cursor) };
      return parsed(await readText("/api/v1/logs/search", query, { signal }), parsedPage);
    },
    histogram: (search, buckets, by, signal) => {
      const query = { ...windowOf(search), buckets, ...(by === null ? {} : { by }) };
      return read("/api/v1/logs/histogram", query, { signal });
    },
    stats: (search, signal) => read("/api/v1/logs/stats", windowOf(search), { signal }),
    patterns: (search, signal) =>
      read("/api/v1/logs/patterns", { ...windowOf(search), limit: MAX_PATTERNS }, { signal }),
    explain: (search, order, analyze, signal) => {
      const query = { ...windowOf(search), order, limit: FIRST_PAGE_SIZE, plan: ANY_PLAN, analyze };
      return read("/api/v1/logs/explain", query, { signal });
    },
    fields: (search, signal) => read("/api/v1/logs/fields", windowOf(search), { signal }),
    fieldValues: (search, name, prefix, signal) => {
      const query = { ...windowOf(search), prefix, limit: MAX_VALUES };
      return read("/api/v1/logs/fields/{name}/values", query, { signal, path: { name } });
    },
    newest: async (search, limit, signal) => {
      const query = { ...windowOf(search), order: "desc", limit, plan: ANY_PLAN } as const;
      return parsed(await readText("/api/v1/logs/search", query, { signal }), parsedPage).logs;
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
      const options = {
        params: { path: { id }, query: { ...around } },
        parseAs: "text",
        signal,
      } as const;
      return parsed<Context>(await answer(client.GET("/api/v1/logs/{id}/context", options)));
    },
    tail: async (query, lastId, signal) => {
      const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
      return (await open("/api/v1/logs/tail", { query }, { signal, headers })).body;
    },
    export: async (search, order, format, columns, signal) => {
      const chosen = columns === null ? {} : { columns: exportColumns(columns) };
      const query = { ...windowOf(search), order, format, ...chosen };
      const { headers, body } = await open("/api/v1/logs/export", query, { signal });
      // A file of another type is a page of a proxy.
      if (!headers.get("Content-Type")?.startsWith(EXPORT_TYPES[format])) {
        await body.cancel();
        throw problemFrom(502, null);
      }
      const disposition = headers.get("Content-Disposition") ?? "";
      const name = /filename="([^"/\\]+)"/.exec(disposition)?.[1] ?? `logs.${format}`;
      return { name, body };
    },
  };
}

/** Returns the parameter of the page that begins at a cursor; none for the first page. */
function at(cursor: string | null): { cursor?: string } {
  return cursor === null ? {} : { cursor };
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

import { type ApiClient, answer, type FetchResult } from "./apiClient";
import type { paths } from "./schema";

/** Longest query, in bytes of UTF-8, that is sent in a URL, where each byte may take three characters. */
const LONG_QUERY_BYTES = 1_000;

/** Routes that take a query in the URL, or in the body of a POST. */
type QueryPath = `/api/v1/logs/${
  | "search"
  | "histogram"
  | "stats"
  | "patterns"
  | "explain"
  | "fields"
  | "fields/{name}/values"
  | "tail"
  | "export"}`;

type Parameters<Path extends QueryPath> = paths[Path]["get"]["parameters"]["query"] &
  paths[Path]["post"]["requestBody"]["content"]["application/json"];

type Answer<Path extends QueryPath> = paths[Path]["get"]["responses"][200]["content"] extends {
  "application/json": infer Body;
}
  ? Body
  : never;

interface RequestOptions {
  readonly signal: AbortSignal | undefined;
  readonly headers?: Record<string, string>;
  readonly path?: Record<string, string>;
}

/** Returns the requests that send their query in the URL, or in the body if it is long. */
export function createQueryRequests(client: ApiClient) {
  // The types of the client know no path that is one of several.
  const request = client.request as (
    method: string,
    path: string,
    init: object,
  ) => Promise<FetchResult<never>>;
  const send = (path: string, query: { query?: string }, how: RequestOptions, parseAs: string) => {
    const { signal = null, headers = {}, path: names = {} } = how;
    const options = { signal, headers, parseAs };
    return isLong(query.query ?? "")
      ? request("post", path, { ...options, params: { path: names }, body: query })
      : request("get", path, { ...options, params: { path: names, query } });
  };
  type Read<Path extends QueryPath> = readonly [path: Path, query: Parameters<Path>, options: RequestOptions];
  return {
    /** Returns the JSON that answers. */
    read: <Path extends QueryPath>(...[path, query, options]: Read<Path>): Promise<Answer<Path>> =>
      answer(send(path, query, options, "json")),
    /** Returns the text that answers. */
    readText: <Path extends QueryPath>(...[path, query, options]: Read<Path>) =>
      answer<string>(send(path, query, options, "text")),
    /** Returns the headers and the bytes of an answer once its headers have arrived. */
    open: async <Path extends QueryPath>(...[path, query, options]: Read<Path>) => {
      const sent = send(path, query, options, "stream");
      const body = await answer<ReadableStream<Uint8Array> | null>(sent);
      return { headers: (await sent).response.headers, body: body ?? new Blob([]).stream() };
    },
  };
}

/**
 * Returns true for a query that is too long for the address of a request: proxies and servers cut addresses at about 8
 * KiB.
 */
function isLong(query: string): boolean {
  return new TextEncoder().encode(query).length > LONG_QUERY_BYTES;
}

import { parseLogJson, plainNumbers } from "./logJson";
import { ApiProblem, isAbort, problemFrom } from "./problem";
import type { Log, SearchPage } from "./types";

/** Cost of a search so far, reported after each window that it has read. */
export interface SearchProgress {
  readonly windows: number;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly elapsed_ms: number;
}

/** A page that is still arriving: the records received so far, in order. */
export interface PagePart {
  readonly logs: readonly Log[];
  readonly progress: SearchProgress | null;
}

/** One line of a streamed search: exactly one of these (docs/search.md). */
export type SearchLine =
  | { readonly log: Log }
  | { readonly progress: SearchProgress }
  | { readonly page: Omit<SearchPage, "logs"> }
  | { readonly error: { readonly status?: number } };

export const STREAM_TYPE = "application/x-ndjson";

/**
 * Reads a streamed page to its end, and reports after each window what has arrived so far. Rejects with the ApiProblem
 * of an error line, with an ApiProblem for a stream that breaks off, and with the abort of the request's signal.
 * Records that arrived before an error are reported first.
 */
export async function receivePage(
  body: ReadableStream<Uint8Array>,
  onPart: (part: PagePart) => void,
): Promise<SearchPage> {
  const logs: Log[] = [];
  let progress: SearchProgress | null = null;
  let end: SearchPage | null = null;
  const report = () => onPart({ logs: [...logs], progress });
  const fail = (problem: ApiProblem): never => {
    report();
    throw problem;
  };
  try {
    for await (const line of searchLines(body)) {
      if ("log" in line) logs.push(line.log);
      else if ("progress" in line) {
        progress = line.progress;
        report();
      } else if ("page" in line) end = { ...line.page, logs };
      else if ("error" in line) fail(problemFrom(line.error.status ?? 500, line.error));
    }
  } catch (error) {
    if (error instanceof ApiProblem || isAbort(error)) throw error;
  }
  return end ?? fail(brokenOff());
}

/**
 * Yields the lines of a stream, which may be cut into pieces anywhere. Rejects with a SyntaxError for a line that is
 * not JSON.
 */
export async function* searchLines(body: ReadableStream<Uint8Array>): AsyncGenerator<SearchLine> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield parsedLine(line);
      if (done) break;
    }
    if (rest !== "") yield parsedLine(rest);
  } finally {
    // Frees the connection when the reader of the lines stops early. Nothing waits for the cancellation.
    reader.cancel().catch(() => {});
  }
}

/** Parses a whole page, which a server sends that does not stream. Throws a SyntaxError for any other text. */
export function parsedPage(text: string): SearchPage {
  const page = parseLogJson(text) as SearchPage | null;
  if (!Array.isArray(page?.logs)) throw new SyntaxError("the answer has no records");
  return { ...page, stats: plainNumbers(page.stats) };
}

function parsedLine(text: string): SearchLine {
  const line = parseLogJson(text) as SearchLine;
  return "log" in line ? line : plainNumbers(line);
}

function brokenOff(): ApiProblem {
  return new ApiProblem(0, "broken_off", "the answer ended early: search again");
}

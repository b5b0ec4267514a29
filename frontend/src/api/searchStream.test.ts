import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { valueText } from "./logJson";
import type { PagePart, SearchLine } from "./searchStream";
import { parsedPage, receivePage, searchLines } from "./searchStream";

const progress = { windows: 1, rows_read: 8192, bytes_read: 1_000_000, elapsed_ms: 4.2 };
const page = {
  next_cursor: "c2",
  stats: { ...progress, granules_total: 10, granules_read: 1, plan: "windowed" as const },
  hints: [],
};
const first = sampleLog({ id: "01", body: "größer als 漢字 🎉" });
const second = sampleLog({ id: "02" });

const encoded = (lines: readonly SearchLine[]) =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

/** Returns the bytes in pieces of this size. */
function inPieces(bytes: Uint8Array, size = bytes.length): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

async function received(body: ReadableStream<Uint8Array>) {
  const parts: PagePart[] = [];
  const end = await receivePage(body, (part) => parts.push(part)).catch((error: unknown) => error);
  return { parts, end };
}

describe("the lines of a stream", () => {
  const lines: SearchLine[] = [{ log: first }, { progress }, { log: second }, { page }];

  it.each([1, 2, 3, 7, 64, 100_000])("are the same in pieces of %i bytes", async (size) => {
    const read: SearchLine[] = [];
    for await (const line of searchLines(inPieces(encoded(lines), size))) read.push(line);
    expect(read).toEqual(lines);
  });

  it("need no newline behind the last", async () => {
    const bytes = encoded([{ page }]);
    const { end } = await received(inPieces(bytes.slice(0, -1)));
    expect(end).toEqual({ ...page, logs: [] });
  });
});

describe("the cost", () => {
  const sent = '{"windows":1,"rows_read":0,"bytes_read":0,"elapsed_ms":43.0}';
  const log = '{"id":"01","attributes":{"ratio":1.0}}';

  it.each(["progress", "page"])(
    "is a number in a line of %s, also where the server writes 43.0",
    async (name) => {
      const line = name === "page" ? `{"page":{"next_cursor":null,"stats":${sent}}}` : `{"progress":${sent}}`;
      const read: unknown[] = [];
      for await (const each of searchLines(inPieces(new TextEncoder().encode(`${line}\n`)))) read.push(each);
      expect(read).toEqual([JSON.parse(line)]);
    },
  );

  it("is a number in a whole page, whose records keep the digits that were sent", () => {
    const page = parsedPage(`{"logs":[${log}],"next_cursor":null,"stats":${sent}}`);
    expect(page.stats.elapsed_ms).toBe(43);
    expect(valueText(page.logs[0])).toBe(log);
  });
});

describe("a page", () => {
  it("arrives window by window and whole at the end", async () => {
    const later = { ...progress, windows: 2 };
    const { parts, end } = await received(
      inPieces(encoded([{ log: first }, { progress }, { log: second }, { progress: later }, { page }]), 5),
    );
    expect(parts).toEqual([
      { logs: [first], progress },
      { logs: [first, second], progress: later },
    ]);
    expect(end).toEqual({ ...page, logs: [first, second] });
  });

  it("that ends with an error gives the records before it, then rejects with the problem", async () => {
    const error = { status: 422, code: "query_too_expensive", detail: "too much to read" };
    const { parts, end } = await received(inPieces(encoded([{ progress }, { log: first }, { error }])));
    expect(parts.at(-1)).toEqual({ logs: [first], progress });
    expect(end).toMatchObject({ status: 422, code: "query_too_expensive", message: "too much to read" });
  });

  it.each([
    ["between lines", 0],
    ["inside a line", 9],
  ])("that is cut off %s rejects after its records were given", async (_where, missing) => {
    const bytes = encoded([{ log: first }, { log: second }]);
    const { parts, end } = await received(inPieces(bytes.slice(0, bytes.length - missing), 16));
    expect(parts.at(-1)?.logs[0]).toEqual(first);
    expect(end).toMatchObject({ status: 0, code: "broken_off" });
  });

  it("passes an abort on as it is", async () => {
    const abort = new DOMException("left", "AbortError");
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(abort) });
    expect((await received(body)).end).toBe(abort);
  });
});

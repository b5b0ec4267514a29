import { describe, expect, it } from "vitest";
import { EventParser } from "./sse";

const STREAM =
  ': hello\nretry: 1000\nid: a\nevent: log\ndata: {"body":"über 🦊"}\n\nid: b\r\n\r\ndata:one\rdata: two\r\r';
const EVENTS = [
  { name: "log", data: '{"body":"über 🦊"}' },
  { name: "message", data: "one\ntwo" },
];

describe("EventParser", () => {
  it.each([1, 2, 3, 7, 1000])("finds the same events in pieces of %i bytes", (size) => {
    const bytes = new TextEncoder().encode(`${STREAM}\n`);
    const decoder = new TextDecoder();
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < bytes.length; at += size) {
      events.push(...parser.push(decoder.decode(bytes.subarray(at, at + size), { stream: true })));
    }
    expect(events).toEqual(EVENTS);
    expect(parser.lastId).toBe("b");
  });

  it("takes the id of a heartbeat, which is no event", () => {
    const parser = new EventParser("a");
    expect(parser.push(": heartbeat\nid: c\n\n")).toEqual([]);
    expect(parser.lastId).toBe("c");
  });

  it("keeps an event that has not ended to itself", () => {
    const parser = new EventParser("a");
    expect(parser.push("id: b\nevent: log\ndata: {}\n")).toEqual([]);
    expect(parser.lastId).toBe("a");
    expect(parser.push("\n")).toEqual([{ name: "log", data: "{}" }]);
    expect(parser.lastId).toBe("b");
  });
});

import { describe, expect, it } from "vitest";
import type { Log } from "../api/types";
import { sampleLog } from "../testing/sampleLog";
import type { ContextPage, ContextPoint } from "./contextRows";
import { around, contextLogs, earlier, later } from "./contextRows";

const logs = (from: number, to: number): Log[] =>
  Array.from({ length: to - from }, (_, index) => sampleLog({ id: String(from + index) }));

function page(request: ContextPoint, before: Log[], after: Log[], isComplete = true): ContextPage {
  const ends = {
    searched_from: "",
    searched_to: "",
    complete_before: isComplete,
    complete_after: isComplete,
  };
  const stats = {
    elapsed_ms: 1,
    rows_read: 1,
    bytes_read: 1,
    granules_total: null,
    granules_read: null,
    plan: "in_order" as const,
    windows: 1,
  };
  return { request, answer: { before, log: sampleLog({ id: request.id }), after, ...ends, stats } };
}

describe("the pages of a context", () => {
  const middle = page(around("50"), logs(40, 50), logs(51, 61));

  it("go on from their ends, and hold every record once", () => {
    expect(earlier(middle)).toEqual({ id: "40", before: 25, after: 0 });
    expect(later(middle)).toEqual({ id: "60", before: 0, after: 25 });
    const first = page({ id: "40", before: 25, after: 0 }, logs(15, 40), []);
    const last = page({ id: "60", before: 0, after: 25 }, [], logs(61, 70));
    expect(contextLogs([first, middle, last], "50").map((log) => log.id)).toEqual(
      logs(15, 70).map((log) => log.id),
    );
  });

  it("end where fewer records came than were requested", () => {
    expect(earlier(page(around("50"), logs(45, 50), []))).toBeUndefined();
    expect(later(page(around("50"), logs(45, 50), []))).toBeUndefined();
    expect(later(page({ id: "60", before: 0, after: 25 }, [], logs(61, 70)))).toBeUndefined();
  });

  it("go on where the server stopped after some records, and end where it found none", () => {
    const cut = page(around("50"), logs(47, 50), logs(51, 53), false);
    expect(earlier(cut)).toEqual({ id: "47", before: 25, after: 0 });
    expect(later(cut)).toEqual({ id: "52", before: 0, after: 25 });
    const empty = page(around("50"), [], [], false);
    expect([earlier(empty), later(empty)]).toEqual([undefined, undefined]);
  });
});

import { expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { traceSearch } from "./traceSearch";

it("finds the whole trace, oldest first, around the record's time", () => {
  const log = sampleLog({ timestamp: "2026-11-21T01:02:03.5Z", trace_id: "0a".repeat(16) });
  expect(traceSearch(log)).toEqual({
    query: `trace_id:${"0a".repeat(16)}`,
    from: "2026-11-21T00:32:03.5Z",
    to: "2026-11-21T01:32:03.5Z",
    order: "asc",
  });
  expect(traceSearch(sampleLog())).toBeNull();
});

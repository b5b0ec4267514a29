import { expect, it } from "vitest";
import { fromMilliseconds } from "../time/nanoseconds";
import { traceSearch } from "./traceSearch";

it("finds the whole trace, oldest first, with its last nanosecond", () => {
  const first = fromMilliseconds(Date.parse("2026-11-21T01:02:03.5Z"));
  expect(traceSearch("0a".repeat(16), { first, last: first + 1_000_000_000n })).toMatchObject({
    query: `trace_id:${"0a".repeat(16)}`,
    from: "2026-11-21T01:02:03.5Z",
    to: "2026-11-21T01:02:04.500000001Z",
    order: "asc",
  });
});

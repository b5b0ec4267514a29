import { expect, it } from "vitest";
import { fromMilliseconds } from "../time/nanoseconds";
import { traceSearch } from "./traceSearch";

const FIRST = fromMilliseconds(Date.parse("2026-11-21T01:02:03.5Z")) + 1n;
const ID = "0a".repeat(16);

it("finds the whole trace, oldest first, with time around its first and last log", () => {
  expect(traceSearch(ID, { first: FIRST, last: FIRST + 2_000_000_000n })).toMatchObject({
    query: `trace_id:${ID}`,
    from: "2026-11-21T01:02:03.399Z",
    to: "2026-11-21T01:02:05.602Z",
    order: "asc",
  });
});

it("has a range around a single log, too", () => {
  expect(traceSearch(ID, { first: FIRST, last: FIRST })).toMatchObject({
    from: "2026-11-21T01:02:03.499Z",
    to: "2026-11-21T01:02:03.502Z",
  });
});

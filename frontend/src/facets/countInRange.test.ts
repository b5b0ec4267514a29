import { expect, it } from "vitest";
import { parseRfc3339 } from "../time/nanoseconds";
import { countInRange, EVERY_RECORD } from "./countInRange";

const at = (clock: string) => parseRfc3339(`2026-11-21T${clock}:00Z`) ?? 0n;
const range = (from: string, to: string) => ({ start: at(from), end: at(to) });
const PART = range("10:07", "11:07");

async function sources(query: string, window: typeof PART, complete: boolean) {
  const calls: [string, typeof PART][] = [];
  const answer = await countInRange(query, window, async (text, counted) => {
    calls.push([text, counted]);
    return { basis: text === "" ? ("inserted" as const) : ("newest" as const), complete, sampled: null };
  });
  return [answer.basis, ...calls];
}

it("counts what a query finds as the API does", async () => {
  expect(await sources("error", PART, false)).toEqual(["newest", ["error", PART]]);
});

it("takes the counts made at insert for whole quarters of an hour", async () => {
  const whole = range("10:15", "11:00");
  expect(await sources("", whole, true)).toEqual(["inserted", ["", whole]]);
});

it("counts other ranges exactly where they have few records", async () => {
  expect(await sources("", PART, true)).toEqual(["newest", [EVERY_RECORD, PART]]);
});

it("leaves out the broken quarters at both ends where there are too many records", async () => {
  const whole = range("10:15", "11:00");
  expect(await sources("", PART, false)).toEqual(["inserted", [EVERY_RECORD, PART], ["", whole]]);
});

it("counts the newest records of a range without a whole quarter of an hour", async () => {
  const short = range("10:01", "10:06");
  expect(await sources("", short, false)).toEqual(["newest", [EVERY_RECORD, short]]);
});

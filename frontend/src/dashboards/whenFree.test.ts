import { expect, it } from "vitest";
import { PANELS_AT_ONCE, whenFree } from "./whenFree";

const settled = () => new Promise((resolve) => setTimeout(resolve));

/** Starts reads, and lists the reads that have started. The signal aborts the last one. */
function startReads(count: number) {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const last = new AbortController();
  const reads = Array.from({ length: count }, (_, number) =>
    whenFree(number === count - 1 ? last.signal : new AbortController().signal, () => {
      started.push(number);
      return new Promise<number>((resolve) => ends.push(() => resolve(number)));
    }),
  );
  const endNext = async () => {
    ends.shift()?.();
    await settled();
  };
  return { started, reads, abortLast: () => last.abort(), endNext };
}

it("starts a few reads, and the next one when one has ended", async () => {
  const { started, reads, endNext } = startReads(PANELS_AT_ONCE + 2);
  await settled();
  expect(started).toEqual([0, 1, 2, 3]);
  await endNext();
  expect(started).toEqual([0, 1, 2, 3, 4]);
  for (let each = 1; each < reads.length; each += 1) await endNext();
  expect(await Promise.all(reads)).toEqual([0, 1, 2, 3, 4, 5]);
});

it("never starts a read that was aborted while it waited", async () => {
  const { started, reads, abortLast, endNext } = startReads(PANELS_AT_ONCE + 1);
  await settled();
  abortLast();
  const aborted = expect(reads[PANELS_AT_ONCE]).rejects.toThrow();
  for (let each = 0; each < reads.length; each += 1) await endNext();
  await aborted;
  expect(started).toEqual([0, 1, 2, 3]);
});

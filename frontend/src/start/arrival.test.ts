import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { arrivalOf, LONGEST_WAIT_MS, pollDelayMs } from "./arrival";

const old = sampleLog({ id: "01" });
const fresh = sampleLog({ id: "02" });
const watch = (baselineId: string | null | undefined) => ({ startedAtMs: 1_000, baselineId });

describe("a wait for a log", () => {
  it("is starting until the first answer, which has the newest log before the wait", () => {
    expect(arrivalOf(watch(undefined), undefined, 1_000).kind).toBe("starting");
    expect(arrivalOf(watch(undefined), old, 1_000).kind).toBe("starting");
  });

  it("waits while the newest log is the one that was there before", () => {
    expect(arrivalOf(watch(null), null, 2_000)).toEqual({ kind: "waiting", newest: null, isLong: false });
    expect(arrivalOf(watch("01"), old, 2_000)).toEqual({ kind: "waiting", newest: old, isLong: false });
  });

  it("receives a log that was not there before, and knows the tenant's first", () => {
    expect(arrivalOf(watch(null), fresh, 2_000)).toEqual({ kind: "received", log: fresh, isFirst: true });
    expect(arrivalOf(watch("01"), fresh, 2_000)).toEqual({ kind: "received", log: fresh, isFirst: false });
  });

  it("ends, but not where a log was received", () => {
    expect(arrivalOf(watch(null), null, 1_000 + LONGEST_WAIT_MS).kind).toBe("ended");
    expect(arrivalOf(watch(null), fresh, 1_000 + LONGEST_WAIT_MS).kind).toBe("received");
    expect(arrivalOf(watch(undefined), undefined, 1_000 + LONGEST_WAIT_MS).kind).toBe("ended");
  });
});

describe("polling", () => {
  it("is quick at first, then slower, and stops with the wait", () => {
    const waiting = arrivalOf(watch(null), null, 2_000);
    expect(pollDelayMs(waiting, 0)).toBe(1_000);
    expect(pollDelayMs(waiting, 120_000)).toBe(5_000);
    expect(pollDelayMs(arrivalOf(watch(null), fresh, 2_000), 0)).toBe(false);
    expect(pollDelayMs(arrivalOf(watch(null), null, 1_000 + LONGEST_WAIT_MS), 0)).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import type { Log } from "../api/types";
import { sampleLog } from "../testing/sampleLog";
import { arrivalOf, LONGEST_WAIT_MS, pollDelayMs } from "./arrival";
import type { StoredLogs } from "./storedLogs";

const old = sampleLog({ id: "01" });
const fresh = sampleLog({ id: "02" });
const stored = (newest: Log | null, count: number | null = newest === null ? 0 : 1): StoredLogs => ({
  newest,
  count,
  days: 30,
});
const watch = (baseline: StoredLogs | undefined) => ({ startedAtMs: 1_000, baseline });

describe("a wait for a log", () => {
  it("is starting until the first answer, which has the newest log before the wait", () => {
    expect(arrivalOf(watch(undefined), undefined, 1_000).kind).toBe("starting");
    expect(arrivalOf(watch(undefined), stored(old), 1_000).kind).toBe("starting");
  });

  it("waits while the newest log is the one that was there before", () => {
    expect(arrivalOf(watch(stored(null)), stored(null), 2_000)).toEqual({
      kind: "waiting",
      newest: null,
      isLong: false,
    });
    expect(arrivalOf(watch(stored(old)), stored(old), 2_000)).toEqual({
      kind: "waiting",
      newest: old,
      isLong: false,
    });
  });

  it("receives a log that was not there before, and knows the tenant's first", () => {
    expect(arrivalOf(watch(stored(null)), stored(fresh), 2_000)).toEqual({
      kind: "received",
      log: fresh,
      isFirst: true,
    });
    expect(arrivalOf(watch(stored(old)), stored(fresh, 2), 2_000)).toEqual({
      kind: "received",
      log: fresh,
      isFirst: false,
    });
  });

  it("receives a log whose time is before that of the newest log", () => {
    expect(arrivalOf(watch(stored(old, 1)), stored(old, 2), 2_000)).toEqual({
      kind: "received",
      log: null,
      days: 30,
    });
  });

  it("waits for another newest log if the API cannot count", () => {
    expect(arrivalOf(watch(stored(old, null)), stored(old, 2), 2_000).kind).toBe("waiting");
    expect(arrivalOf(watch(stored(old, 1)), stored(old, null), 2_000).kind).toBe("waiting");
    expect(arrivalOf(watch(stored(old, 1)), stored(fresh, null), 2_000).kind).toBe("received");
  });

  it("ends, but not where a log was received", () => {
    expect(arrivalOf(watch(stored(null)), stored(null), 1_000 + LONGEST_WAIT_MS).kind).toBe("ended");
    expect(arrivalOf(watch(stored(null)), stored(fresh), 1_000 + LONGEST_WAIT_MS).kind).toBe("received");
    expect(arrivalOf(watch(undefined), undefined, 1_000 + LONGEST_WAIT_MS).kind).toBe("ended");
  });
});

describe("polling", () => {
  it("is quick at first, then slower, and stops with the wait", () => {
    const waiting = arrivalOf(watch(stored(null)), stored(null), 2_000);
    expect(pollDelayMs(waiting, 0)).toBe(1_000);
    expect(pollDelayMs(waiting, 120_000)).toBe(5_000);
    expect(pollDelayMs(arrivalOf(watch(stored(null)), stored(fresh), 2_000), 0)).toBe(false);
    expect(pollDelayMs(arrivalOf(watch(stored(null)), stored(null), 1_000 + LONGEST_WAIT_MS), 0)).toBe(false);
  });
});

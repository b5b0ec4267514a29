import { describe, expect, it } from "vitest";
import { outcomeAdvice, outcomeTitle } from "./outcomes";
import { axisEnd, firstDay, inOrder, usageDays } from "./usageDays";

const NOW = Date.parse("2026-11-22T18:30:00Z");
const counts = (outcome: string, day: string, bytes: number) => ({
  outcome,
  start: `${day}T00:00:00.000000000Z`,
  bytes,
  records: bytes / 10,
  requests: 1,
});

describe("usage by day", () => {
  it("has every day of the range, also those without usage, and adds refusals of all reasons", () => {
    const usage = [
      counts("accepted", "2026-11-20", 100),
      counts("too_old", "2026-11-22", 30),
      counts("bytes_per_day", "2026-11-22", 20),
      counts("accepted", "2026-11-22", 500),
    ];
    expect(usageDays(usage, "bytes", firstDay(NOW, 3), 3)).toEqual([
      { day: "2026-11-20", accepted: 100, refused: 0 },
      { day: "2026-11-21", accepted: 0, refused: 0 },
      { day: "2026-11-22", accepted: 500, refused: 50 },
    ]);
    expect(usageDays(usage, "requests", firstDay(NOW, 1), 1)).toEqual([
      { day: "2026-11-22", accepted: 1, refused: 2 },
    ]);
  });

  it("is drawn on an axis that ends at a round number", () => {
    const day = (accepted: number) => [{ day: "2026-11-22", accepted, refused: 0 }];
    expect(axisEnd(day(550))).toBe(1_000);
    expect(axisEnd(day(2_000))).toBe(2_000);
    expect(axisEnd(day(2_001))).toBe(5_000);
    expect(axisEnd([])).toBe(1);
  });
});

describe("outcomes", () => {
  it("come with what was accepted first, then the largest refusals", () => {
    const total = (outcome: string, records: number, requests: number) => ({
      outcome,
      records,
      requests,
      bytes: 1,
    });
    const totals = [total("too_old", 5, 0), total("bytes_per_day", 0, 70), total("accepted", 1, 1)];
    expect(inOrder(totals).map(({ outcome }) => outcome)).toEqual(["accepted", "bytes_per_day", "too_old"]);
  });

  it("are explained, and shown by their own name where a newer server counts another", () => {
    expect(outcomeTitle("too_old")).toBe("Too old");
    expect(outcomeAdvice("too_old")).toContain("retention");
    expect(outcomeTitle("brand_new")).toBe("brand_new");
    expect(outcomeAdvice("brand_new")).toBe("");
    expect(outcomeTitle("constructor")).toBe("constructor");
  });
});

import { describe, expect, it } from "vitest";
import { sampleTenant } from "../../testing/sampleTenant";
import { changesOf, LIMIT_FIELDS, limitMistake, limitOf, shownLimit } from "./limitFields";

const TENANT = sampleTenant({ limits: { ...sampleTenant().limits, bytes_per_second: 1_000_000 } });

const AS_IS = Object.fromEntries(
  LIMIT_FIELDS.map(({ name }) => [name, limitOf(TENANT, name)?.toString() ?? ""]),
) as Record<(typeof LIMIT_FIELDS)[number]["name"], string>;

describe("changed limits", () => {
  it("are only those whose value is another", () => {
    expect(changesOf(TENANT, AS_IS)).toBeNull();
    expect(changesOf(TENANT, { ...AS_IS, retention_days: "14", records_per_second: " 500 " })).toEqual({
      retention_days: 14,
      limits: { records_per_second: 500 },
    });
  });

  it("are removed by an empty field", () => {
    expect(changesOf(TENANT, { ...AS_IS, bytes_per_second: "" })).toEqual({
      limits: { bytes_per_second: null },
    });
  });
});

describe("a typed limit", () => {
  it("is a whole number, or nothing where there may be no limit", () => {
    expect(limitMistake("1000", false)).toBeNull();
    expect(limitMistake("", true)).toBeNull();
    expect(limitMistake("", false)).not.toBeNull();
    for (const wrong of ["1,000", "1e6", "-1", "1.5", "10 MB"])
      expect(limitMistake(wrong, true)).not.toBeNull();
  });
});

describe("a shown limit", () => {
  it("has its digits, bytes also in units", () => {
    expect(shownLimit(1_000_000, { name: "bytes_per_second", unit: "bytes" })).toBe("1.0 MB (1,000,000)");
    expect(shownLimit(30, { name: "retention_days", unit: "count" })).toBe("30");
    expect(shownLimit(null, { name: "bytes_per_day", unit: "bytes" })).toBe("no limit");
    expect(shownLimit(null, { name: "concurrent_searches", unit: "count" })).toBe(
      "the installation's setting",
    );
    expect(shownLimit(null, { name: "partitions", unit: "count" })).toBe("the default, 4");
  });
});

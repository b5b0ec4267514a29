import { describe, expect, it } from "vitest";
import { moveColumn, readColumns, resizeColumn, toggleColumn, writeColumns } from "./columns";

const names = (columns: ReturnType<typeof readColumns>) => columns.map(({ field }) => field).join(" ");

describe("columns in the URL", () => {
  it("come back as they were written, whatever a field is called", () => {
    const columns = [
      { field: "service", width: null },
      { field: "a,b~c%2C", width: 120 },
      { field: "user id", width: 48 },
    ];
    expect(readColumns(writeColumns(columns))).toEqual(columns);
    expect(writeColumns([])).toBe("");
    expect(readColumns("")).toEqual([]);
  });

  it.each([
    [
      "service,service~90,,user.id",
      [
        ["service", null],
        ["user.id", null],
      ],
    ],
    [
      "a~x,b~99999,c~1,d~5000",
      [
        ["a", null],
        ["b", null],
        ["c", 40],
        ["d", 1200],
      ],
    ],
    [`${"x".repeat(257)},ok`, [["ok", null]]],
  ])("leave out what cannot be read of %s", (text, expected) => {
    expect(readColumns(text).map(({ field, width }) => [field, width])).toEqual(expected);
  });

  it("are at most twenty", () => {
    const text = Array.from({ length: 30 }, (_, index) => `f${index}`).join(",");
    expect(readColumns(text)).toHaveLength(20);
    expect(names(toggleColumn(readColumns(text), "one.more"))).toMatch(/^f1 .* one\.more$/);
  });
});

it("adds, removes, moves and resizes a column", () => {
  const columns = readColumns("a,b,c");
  expect(names(toggleColumn(columns, "d"))).toBe("a b c d");
  expect(names(toggleColumn(columns, "b"))).toBe("a c");
  expect(names(moveColumn(columns, "a", 1))).toBe("b a c");
  expect(names(moveColumn(columns, "a", -1))).toBe("a b c");
  expect(names(moveColumn(columns, "c", 5))).toBe("a b c");
  expect(names(moveColumn(columns, "none", 1))).toBe("a b c");
  expect(writeColumns(resizeColumn(columns, "b", 99.6))).toBe("a,b~100,c");
});

import { describe, expect, it } from "vitest";
import { moveColumn, readColumns, resizeColumn, toggleColumn, writeColumns } from "./columns";

const names = (columns: ReturnType<typeof readColumns>) => columns.map(({ field }) => field).join(" ");

const MESSAGE_LAST = { field: "body", width: null };

describe("columns in the URL", () => {
  it("come back as they were written, whatever a field is called", () => {
    const columns = [
      { field: "service", width: null },
      { field: "a,b~c%2C", width: 120 },
      { field: "body", width: 300 },
      { field: "user id", width: 48 },
    ];
    expect(readColumns(writeColumns(columns))).toEqual(columns);
    expect(readColumns("")).toEqual([MESSAGE_LAST]);
    expect(writeColumns([MESSAGE_LAST])).toBe("");
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
    expect(readColumns(text).map(({ field, width }) => [field, width])).toEqual([
      ...expected,
      ["body", null],
    ]);
  });

  it("keep the place and the width of the message beside twenty fields", () => {
    const fields = Array.from({ length: 20 }, (_, index) => ({ field: `f${index}`, width: null }));
    for (const columns of [
      [...fields, { field: "body", width: 300 }],
      [{ field: "body", width: null }, ...fields],
    ]) {
      expect(readColumns(writeColumns(columns))).toEqual(columns);
    }
  });

  it("are at most twenty", () => {
    const text = Array.from({ length: 30 }, (_, index) => `f${index}`).join(",");
    expect(readColumns(text)).toHaveLength(21);
    expect(names(toggleColumn(readColumns(text), "one.more"))).toMatch(/^f1 .* one\.more body$/);
  });
});

it("adds, removes, moves and resizes a column", () => {
  const columns = readColumns("a,b,c");
  expect(names(toggleColumn(columns, "d"))).toBe("a b c d body");
  expect(names(toggleColumn(columns, "b"))).toBe("a c body");
  expect(names(moveColumn(columns, "a", 1))).toBe("b a c body");
  expect(names(moveColumn(columns, "a", -1))).toBe("a b c body");
  expect(names(moveColumn(columns, "c", 5))).toBe("a b body c");
  expect(names(moveColumn(columns, "none", 1))).toBe("a b c body");
  expect(writeColumns(resizeColumn(columns, "b", 99.6))).toBe("a,b~100,c");
  expect(writeColumns(resizeColumn(resizeColumn(columns, "b", 99.6), "b", null))).toBe("a,b,c");
});

it("moves and resizes the message, and keeps it", () => {
  const first = readColumns("body,a");
  expect(names(first)).toBe("body a");
  expect(writeColumns(first)).toBe("body,a");
  expect(names(toggleColumn(first, "b"))).toBe("body a b");
  expect(toggleColumn(first, "body")).toBe(first);
  expect(writeColumns(moveColumn(first, "body", 1))).toBe("a");
  expect(writeColumns(resizeColumn(readColumns("a"), "body", 500))).toBe("a,body~500");
});

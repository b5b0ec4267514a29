import { expect, it } from "vitest";
import type { StatsAnswer } from "../api/types";
import { cellText, shortText } from "./cellText";
import { addsUp, kindOf, kindsOf } from "./chartKinds";
import { narrowedTo } from "./openGroup";
import { stacked, toSeries } from "./seriesData";
import { toCsv } from "./statsFile";
import { toTable } from "./statsRows";

const EMPTY: StatsAnswer = {
  query: "",
  start: "2026-11-21T00:00:00.000000000Z",
  end: "2026-11-21T01:00:00.000000000Z",
  columns: [],
  rows: [],
  other: null,
  interval_ns: null,
  buckets: [],
  series: [],
  groups: { found: 0, shown: 0, complete: true },
  left_out: null,
  cost: { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 },
};
const service = { name: "service", kind: "field", type: "text", unit: null, error: null } as const;
const count = { name: "count()", kind: "function", type: "integer", unit: "records", error: null } as const;
const mean = { name: "avg(ms)", kind: "function", type: "number", unit: null, error: null } as const;

const GROUPED: StatsAnswer = {
  ...EMPTY,
  columns: [service, count, mean],
  rows: [
    ['=cmd,"x"', 3, 1.5],
    [null, 2, null],
    ["", 1, "inf"],
  ],
  other: [7, 0.25],
};
const OVER_TIME: StatsAnswer = {
  ...EMPTY,
  columns: [service, count],
  interval_ns: 1_800_000_000_000,
  buckets: ["2026-11-21T00:00:00.000000000Z", "2026-11-21T00:30:00.000000000Z"],
  series: [
    ...["a", "b", "c", "d", "e", "f"].map((name, place) => ({
      kind: "group" as const,
      group: [name],
      values: [[place, place + 1]],
    })),
    { kind: "other", group: [], values: [[null, 9]] },
  ],
};

it("offers the ways that can draw an answer, and stacks only what adds up", () => {
  expect(kindsOf(OVER_TIME, 0)).toEqual(["bars", "lines", "table"]);
  expect(kindsOf({ ...OVER_TIME, columns: [service, mean] }, 0)).toEqual(["lines", "table"]);
  expect(kindsOf(GROUPED, 0)).toEqual(["top", "table"]);
  expect(kindsOf({ ...EMPTY, columns: [count] }, 0)).toEqual(["number", "table"]);
  expect(kindOf(GROUPED, "table", 0)).toBe("table");
  expect(kindOf(GROUPED, "lines", 0)).toBe("top");
});

it("draws as many groups as there are colours, and all others together", () => {
  const { series, starts, left } = toSeries(OVER_TIME, 0, false);
  expect(series.map(({ label, token }) => `${label} ${token}`)).toEqual([
    "a --series-1",
    "b --series-2",
    "c --series-3",
    "d --series-4",
    "e --series-5",
    "other --series-other",
  ]);
  expect([starts.length, left]).toEqual([2, 1]);
});

it("draws groups without a number last, so that they take no colour from groups with numbers", () => {
  const [first, ...rest] = OVER_TIME.series;
  if (first === undefined) throw new Error("there is no first group");
  const series = [{ ...first, values: [[null, null]] }, ...rest];
  const drawn = toSeries({ ...OVER_TIME, series }, 0, false);
  expect(drawn.series.map(({ label }) => label)).toEqual(["b", "c", "d", "e", "f", "other"]);
  expect(drawn.left).toBe(1);
});

it("puts each series on top of those before it, and draws nothing for no number", () => {
  const tops = stacked(toSeries(OVER_TIME, 0, false).series);
  expect(tops[1]).toEqual([1, 3]);
  expect(tops[5]).toEqual([null, 24]);
  expect(tops[0]).toEqual([null, 1]);
});

it("stacks negative values below 0", () => {
  expect(stacked([{ values: [-5] }, { values: [10] }, { values: [-1] }, { values: [2] }])).toEqual([
    [-5],
    [10],
    [-6],
    [12],
  ]);
});

it.each<[other: string, values: (number | null)[] | null]>([
  ["no other groups", null],
  ["other groups of the API", [100, null]],
])("draws groups without a colour in bars that add up, with %s", (_, values) => {
  const groups = ["a", "b", "c", "d", "e", "f", "g"].map((name, place) => ({
    kind: "group" as const,
    group: [name],
    values: [[place, place === 6 ? null : 1]],
  }));
  const other = values === null ? [] : [{ kind: "other" as const, group: [], values: [values] }];
  const answer = { ...OVER_TIME, series: [...groups, ...other] };
  const drawn = toSeries(answer, 0, addsUp(answer, 0));
  expect(drawn.series.at(-1)).toMatchObject({ label: "other", values: [11 + (values?.[0] ?? 0), 1] });
  expect(stacked(drawn.series).at(-1)).toEqual([21 + (values?.[0] ?? 0), 6]);
  expect([drawn.series.length, drawn.left]).toEqual([6, 2]);

  const averages = { ...answer, columns: [service, mean] };
  const lines = toSeries(averages, 0, addsUp(averages, 0));
  expect(lines.series).toHaveLength(values === null ? 5 : 6);
});

it("writes CSV that no spreadsheet runs", () => {
  expect(toCsv(toTable(GROUPED)).split("\r\n")).toEqual([
    "kind,service,count(),avg(ms)",
    `group,"'=cmd,""x""",3,1.5`,
    "group,,2,",
    "group,,1,inf",
    "other,,7,0.25",
    "",
  ]);
  expect(toCsv(toTable(OVER_TIME)).split("\r\n")[1]).toBe("group,2026-11-21T00:00:00.000000000Z,a,0");
});

it("writes an apostrophe also where some spreadsheets split a line", () => {
  const table = toTable(GROUPED);
  const [first, ...rows] = table.rows;
  if (first === undefined) throw new Error("the answer has no group");
  const csv = toCsv({ ...table, rows: [{ ...first, group: ["a;=1+1;b=2"] }, ...rows] });
  expect(csv).toContain("group,a;'=1+1;b=2,");
});

it("opens the logs of a group, also of logs without the field", () => {
  expect(narrowedTo("error", ["service", '"odd name"'], ["web", "a b"])).toBe(
    'error service:web "odd name":"a b"',
  );
  expect(narrowedTo("", ['"a\\"b\\\\c:d"', '"x y"'], ["1", null])).toBe('"a\\"b\\\\c:d":1 -"x y":*');
  expect(narrowedTo("", ["user.id"], [null])).toBe("-user.id:*");
  expect(narrowedTo("", ["user.id"], [""])).toBe('user.id:""');
});

it.each([
  [1234.5678, "1,234.568"],
  [0.001234, "0.00123"],
  [0, "0"],
  [null, "–"],
  [1e-7, "0.0000001"],
  [-2.5e-300, "-2.5E-300"],
  [1.7976931348623157e308, "1.798E308"],
  [123_456_789_012_345_680_000, "123,456,789,012,345,680,000"],
  ["inf", "∞"],
  ["9007199254740993", "9,007,199,254,740,993"],
])("writes the value %j as %s", (cell, text) => {
  expect(cellText(cell)).toBe(text);
});

it("shortens numbers of an axis", () => {
  expect([1_234_567, 0.00012, 0, 950].map(shortText)).toEqual(["1.235M", "0.00012", "0", "950"]);
  expect([2e15, 2e16, -3e-200].map(shortText)).toEqual(["2000T", "2E16", "-3E-200"]);
});

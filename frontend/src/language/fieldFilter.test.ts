import { describe, expect, it } from "vitest";
import {
  readFieldFilter,
  setFieldFilter,
  toggleOnly,
  toggleWithout,
  withoutFieldFilter,
} from "./fieldFilter";

describe("readFieldFilter", () => {
  it.each<[string, string[], string[]]>([
    ["", [], []],
    ["service:api", ["api"], []],
    ["error service:(api OR cart) x", ["api", "cart"], []],
    ['service:("two words" OR "a:b")', ["two words", "a:b"], []],
    ["service:api AND error AND -service:cart", ["api"], ["cart"]],
    ["-service:(api OR cart)", [], ["api", "cart"]],
    ["service:web-* service:>5 service:[1 TO 2]", [], []],
    ["service:(api cart)", [], []],
    ["service:(a OR (b OR c))", [], []],
    ["service:api OR error", [], []],
    ["service:api OR(service:cart)", [], []],
    ['service:api OR"two words"', [], []],
    ["NOT service:api", [], []],
    ["service:api NOT(error)", [], []],
    ["(service:api)", [], []],
    ["services:api", [], []],
    ["service:", [], []],
    ["service:a\\ b", ["a b"], []],
  ])("of %j", (query, only, without) => {
    expect(readFieldFilter(query, "service")).toEqual({ only, without });
  });
});

describe("setFieldFilter", () => {
  it.each<[string, string[], string]>([
    ["", ["api"], "service:api"],
    ["error", ["api", "two words"], 'error service:(api OR "two words")'],
    ["error service:api x", ["api", "cart"], "error x service:(api OR cart)"],
    ["service:(api OR cart)", ["cart"], "service:cart"],
    ["-service:api error", ["api"], "error service:api"],
    ["service:api AND error", [], "error"],
    ["error AND service:api", [], "error"],
    ["error AND service:api AND x", [], "error AND x"],
    ["service:api", [], ""],
    ["  -service:a -service:b", [], ""],
    ["\n error AND -service:a AND -service:b", ["c"], "error service:c"],
    ["a OR b", ["api"], "(a OR b) service:api"],
    ["service:api OR(error)", ["cart"], "(service:api OR(error)) service:cart"],
  ])("turns %j with %j into %j", (query, values, expected) => {
    expect(setFieldFilter(query, "service", { only: values, without: [] })).toBe(expected);
  });

  it("leaves everything else of the query as it is", () => {
    const rest = 'error -"x y" latency_ms:>5 (a OR b)';
    const query = setFieldFilter(rest, "service", { only: ["a", "b"], without: ["c", "d"] });
    expect(withoutFieldFilter(query, "service")).toBe(rest);
    expect(query).toBe(`${rest} service:(a OR b) -service:c -service:d`);
    expect(readFieldFilter(query, "service")).toEqual({ only: ["a", "b"], without: ["c", "d"] });
  });
});

it("adds and removes a value, and never requires one that it excludes", () => {
  const none = { only: [], without: [] };
  const both = toggleOnly(toggleOnly(none, "a"), "b");
  expect(both).toEqual({ only: ["a", "b"], without: [] });
  expect(toggleOnly(both, "a")).toEqual({ only: ["b"], without: [] });
  expect(toggleWithout(both, "a")).toEqual({ only: ["b"], without: ["a"] });
  expect(toggleOnly({ only: [], without: ["a"] }, "a")).toEqual({ only: ["a"], without: [] });
  expect(toggleWithout({ only: [], without: ["a"] }, "a")).toEqual(none);
});

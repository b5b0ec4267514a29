import { LosslessNumber } from "lossless-json";
import { describe, expect, it } from "vitest";
import { addFilter, type FilterValue, isFilterValue, narrow, writeField, writeFilter } from "./editQuery";
import { tokenize } from "./tokenize";

describe("writeFilter", () => {
  it.each<[FilterValue, string]>([
    ["checkout", "f:checkout"],
    ["web-7f9", "f:web-7f9"],
    [500, "f:500"],
    [-3, 'f:"-3"'],
    [0, "f:0"],
    [new LosslessNumber("2.0"), "f:2.0"],
    [new LosslessNumber("9007199254740993"), "f:9007199254740993"],
    [new LosslessNumber("0.00001"), "f:[0.00001 TO 0.00001]"],
    [new LosslessNumber("1e-05"), "f:[1e-05 TO 1e-05]"],
    [1.5, "f:1.5"],
    [-0.25, 'f:"-0.25"'],
    [new LosslessNumber("-0.0"), 'f:"-0.0"'],
    [new LosslessNumber("10000000000000000.0"), "f:[10000000000000000.0 TO 10000000000000000.0]"],
    [1e22, "f:[1e+22 TO 1e+22]"],
    [-1.5e-7, "f:[-1.5e-7 TO -1.5e-7]"],
    [true, "f:true"],
    ["", 'f:""'],
    ["two words", 'f:"two words"'],
    ['say "hi" \\ bye', 'f:"say \\"hi\\" \\\\ bye"'],
    ["a*", 'f:"a*"'],
    [">=5", 'f:">=5"'],
    ["/cart", 'f:"/cart"'],
    ["OR", 'f:"OR"'],
    ["(x", 'f:"(x"'],
    // tests/search/meanings.py checks that this filter finds the value.
    ['> (left\0"right', 'f:\\>\\ \\(left*\\"right'],
    ["\0\0-a*\u00e9\0", "f:*\\-a\\*\u00e9*"],
  ])("writes %j", (value, expected) => {
    expect(writeFilter("f", value)).toBe(expected);
  });

  it("writes the numbers that every record has as they are", () => {
    expect(writeFilter("severity_number", 17)).toBe("severity_number:17");
    expect(writeFilter("attributes.flags", 1)).toBe("attributes.flags:1");
  });

  it("is read back as one field and one value", () => {
    for (const value of ['a "b" \\ c', "x y", "[1 TO 2]", "~z", "日本"]) {
      const [field, text, ...rest] = tokenize(writeFilter("http.url", value));
      expect([field?.kind, text?.text, rest]).toEqual(["field", value, []]);
    }
  });
});

describe("addFilter", () => {
  it.each<[string, boolean, string]>([
    ["", false, "service:api"],
    ["  ", true, "-service:api"],
    ["error", false, "error service:api"],
    ["a OR b", false, "(a OR b) service:api"],
    ["(a OR b)", false, "(a OR b) service:api"],
    ["error service:api", false, "error service:api"],
    ["error service:api", true, "error -service:api"],
    ["-service:api error", false, "error service:api"],
    ["-service:api", true, "-service:api"],
    ["error OR service:api", true, "(error OR service:api) -service:api"],
    ["NOT service:api", true, "NOT service:api -service:api"],
    ["error AND service:api", true, "error -service:api"],
    ["service:api AND error", true, "error -service:api"],
    ["a AND -service:api AND b", false, "a AND b service:api"],
    ["(a OR b) AND service:api", true, "(a OR b) -service:api"],
    ["error OR service:api", false, "(error OR service:api) service:api"],
    ["NOT service:api", false, "NOT service:api service:api"],
  ])("edits %j (excluded: %s)", (query, excluded, expected) => {
    expect(addFilter(query, "service", "api", excluded)).toBe(expected);
  });
});

it("replaces a filter for a number by its opposite, and repeats none", () => {
  const only = addFilter("error", "status", 500, false);
  expect(only).toBe("error status:500");
  expect(addFilter(only, "status", 500, false)).toBe(only);
  const without = addFilter(only, "status", 500, true);
  expect(without).toBe("error -status:500");
  expect(addFilter(without, "status", 500, false)).toBe(only);
  expect(addFilter("(a status:500)", "status", 500, true)).toBe("(a status:500) -status:500");
});

it("narrows without changing what the query meant", () => {
  expect(narrow("a AND b", "c")).toBe("a AND b c");
  expect(narrow('"x OR y"', "c")).toBe('"x OR y" c');
});

it("knows what the language can write", () => {
  expect(["http.status_code", "k8s.pod-name", "@timestamp"].map(writeField)).toEqual([
    "http.status_code",
    "k8s.pod-name",
    "@timestamp",
  ]);
  expect(["has space", "a:b", 'q"', "7up"].map(writeField)).toEqual([
    '"has space"',
    '"a:b"',
    '"q\\""',
    '"7up"',
  ]);
  expect(["x", 1, false].every(isFilterValue)).toBe(true);
  expect([null, undefined, {}, [], Number.NaN].some(isFilterValue)).toBe(false);
});

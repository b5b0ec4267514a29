import { describe, expect, it } from "vitest";
import { createMatcher } from "./matchRanges";
import { positiveTerms } from "./positiveTerms";

const marked = (query: string, text: string) =>
  createMatcher(positiveTerms(query))(text).map(({ from, to }) => text.slice(from, to));

describe("words", () => {
  it.each<[string, string, string[]]>([
    ["connection error", "Connection:Error", ["Connection", "Error"]],
    ["error", "errors ERROR error_code terror", ["ERROR", "error"]],
    ['"reset by peer"', "x reset-by  peer!", ["reset-by  peer"]],
    ['"reset by peer"', "reset by a peer", []],
    ["10.0.0.1", "from 10.0.0.1:80 and 10.0.0.10", ["10.0.0.1"]],
    ["user-id=42", "USER id: 42", ["USER id: 42"]],
    ["straße", "die Straße straße STRASSE", ["Straße", "straße"]],
    ["é", "É é", ["é"]],
    ["...", "a ... b", []],
    ["a.b", "axb", []],
  ])("%s marks in %j", (query, text, expected) => {
    expect(marked(query, text)).toEqual(expected);
  });
});

describe("wildcards", () => {
  it.each<[string, string, string[]]>([
    ["time*", "Timeout timed time overtime", ["Timeout", "timed", "time"]],
    ["*out*", "Timeout outer", ["out", "out"]],
    ["*out", "Timeout outer", ["Timeout"]],
    ["web-7*", "pod web-7f9c ok", ["web-7f9c"]],
    ["*!!!*", "wow!!!", ["!!!"]],
    ["*-7f9-*", "pod web-7F9-c", ["-7F9-"]],
    ["*^$.+?{}|/=,:;#&@~<>%'`!-*", "x^$.+?{}|/=,:;#&@~<>%'`!-y", ["^$.+?{}|/=,:;#&@~<>%'`!-"]],
    ["*a*b*c*d*e", "abcde", []],
    ["con*ion", "connection contusions", ["connection"]],
    ["\\*a*", "x *ab", ["ab"]],
  ])("%s marks in %j", (query, text, expected) => {
    expect(marked(query, text)).toEqual(expected);
  });
});

describe("several stars", () => {
  it.each(["b*c*d", "*b*c*d", "*b*c*", "b*c*d*e"])("%s takes little time in a long word", (query) => {
    const word = `b${"0bc".repeat(10_000)}x`;
    const started = performance.now();
    marked(query, word);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it("stand for up to 200 characters each, if there are three of them", () => {
    const word = (letters: number) => `b${"x".repeat(letters)}cd`;
    expect(marked("b*c*d*", word(200))).toEqual([word(200)]);
    expect(marked("b*c*d*", word(201))).toEqual([]);
    expect(marked("b*d*", word(4_000))).toEqual([word(4_000)]);
  });
});

describe("expressions", () => {
  it("marks what they match, with leading RE2 flags", () => {
    expect(marked("/reset by \\w+/", "reset by peer")).toEqual(["reset by peer"]);
    expect(marked("/(?i)PEER/", "peer Peer")).toEqual(["peer", "Peer"]);
    expect(marked("/a\\/b/", "a/b")).toEqual(["a/b"]);
  });

  it("ignores expressions that JavaScript cannot read", () => {
    expect(marked("/(?P<x>a)/ b", "a b")).toEqual(["b"]);
    expect(marked("/(/", "((")).toEqual([]);
  });

  it.each([
    "(a+)+$",
    "(a|aa)+$",
    "a*a*a*a*b",
    "(.*)(.*)(.*)b",
    `${".?".repeat(26)}b`,
    `${"(a|a|)".repeat(26)}b`,
  ])("does not run %s, which can backtrack for ever", (expression) => {
    expect(marked(`/${expression}/`, "aab")).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ["https?://\\w+?\\.example", "at http://a.example", ["http://a.example"]],
    ["(?:a|b|c|d|e|f|g|h|i|j|k|l)[0-9]", "l7 m8", ["l7"]],
    ["(GET|POST|PUT) .*? 50[0-9]", "PUT /cart 503", ["PUT /cart 503"]],
  ])("marks what %s matches, which has few ways to match", (expression, text, expected) => {
    expect(marked(`/${expression.replaceAll("/", "\\/")}/`, text)).toEqual(expected);
  });

  it("searches less text for an expression with more ways to match", () => {
    expect(marked("/(x|y)z*b/", `${"a".repeat(2_800)}xb`)).toEqual(["xb"]);
    expect(marked("/(x|y)z*b/", `${"a".repeat(2_900)}xb`)).toEqual([]);
  });

  it("runs an expression that backtracks a little on the beginning of a text only", () => {
    expect(marked("/a*a*b/", "aab")).toEqual(["aab"]);
    expect(marked("/a*a*b/", `${"x".repeat(600)}aab`)).toEqual([]);
  });

  it("terminates on empty matches", () => {
    expect(marked("/x*/", "aaa")).toEqual([]);
  });
});

it("merges overlapping marks", () => {
  expect(marked('conn* "connection error"', "connection error")).toEqual(["connection error"]);
});

it("marks nothing for negated terms and empty queries", () => {
  expect(marked("-error", "error")).toEqual([]);
  expect(marked("", "error")).toEqual([]);
});

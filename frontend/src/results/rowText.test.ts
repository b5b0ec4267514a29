import { describe, expect, it } from "vitest";
import { createMatcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { lineSegments, segments } from "./rowText";

const matcher = (query: string) => createMatcher(positiveTerms(query));
const shown = (parts: { text: string; isMatch: boolean }[]) =>
  parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join("");

describe("segments", () => {
  it.each<[string, string, string]>([
    ["error", "an error here", "an [error] here"],
    ["a b", "a b", "[a] [b]"],
    ["x", "nothing", "nothing"],
    ["x", "", ""],
  ])("%s in %j", (query, text, expected) => {
    const parts = segments(text, matcher(query));
    expect(shown(parts)).toBe(expected);
    expect(parts.map((part) => part.text).join("")).toBe(text);
  });
});

describe("lineSegments", () => {
  it("puts several lines on one", () => {
    expect(shown(lineSegments("panic\n\tat main.go:7\r\n  at x", matcher("panic")))).toBe(
      "[panic] ↵ at main.go:7 ↵ at x",
    );
  });

  it("brings a match far inside into view", () => {
    const line = shown(lineSegments(`${"filler ".repeat(100)}needle end`, matcher("needle")));
    expect(line.startsWith("… filler")).toBe(true);
    expect(line.indexOf("[needle]")).toBeLessThan(60);
  });

  it("cuts what no row can show", () => {
    expect(shown(lineSegments("x".repeat(5000), matcher("a")))).toHaveLength(600);
  });
});

import { describe, expect, it } from "vitest";
import { createMatcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { segments } from "../text/segments";
import { lineLengthOf, lineSegments } from "./rowText";

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
  it("keeps the original text and its offsets", () => {
    const text = "panic\n\tat \u202emain.go:7\r\n  at x";
    const parts = lineSegments(text, matcher("main.go"), 600);
    expect(shown(parts)).toBe("panic\n\tat \u202emain.go:7\r\n  at x");
    expect(shown(lineSegments(text, matcher('"panic at"'), 600))).toBe(
      "[panic\n\tat] \u202emain.go:7\r\n  at x",
    );
  });

  it("brings a match far inside into view", () => {
    const text = `${"filler ".repeat(100)}needle end`;
    const parts = lineSegments(text, matcher("needle"), 600);
    const line = shown(parts);
    expect(line.startsWith("filler")).toBe(true);
    for (const { from, text: part } of parts) expect(text.slice(from, from + part.length)).toBe(part);
    expect(line.indexOf("[needle]")).toBeLessThan(60);
  });

  const ORDER = "payment for order ord-85673994 failed, reservation released";

  it.each<[number, string]>([
    [200, "payment for order ord-85673994 failed, [reservation released]"],
    [60, "payment for order ord-85673994 failed, [reservation released]"],
    [40, "failed, [reservation released]"],
    [20, "[reservation released]"],
  ])("shows the match of a message in a line of %d characters", (lineLength, expected) => {
    expect(shown(lineSegments(ORDER, matcher('"reservation released"'), lineLength))).toBe(expected);
  });

  it("keeps a match at the beginning of the message in the shortest line", () => {
    expect(shown(lineSegments(ORDER, matcher("payment"), 10))).toBe("[payment] fo");
  });

  it("cuts what no row can show", () => {
    expect(shown(lineSegments("x".repeat(5000), matcher("a"), 600))).toHaveLength(600);
    expect(shown(lineSegments(`x${"😀".repeat(400)}`, matcher("a"), 300))).toHaveLength(599);
    expect(shown(lineSegments(`x\n${"    y".repeat(400)}`, matcher("a"), 300))).toHaveLength(600);
  });
});

describe("lineLengthOf", () => {
  it.each<[number, number, number]>([
    [-20, 10, 10],
    [0, 10, 10],
    [260, 40, 40],
    [300, 50, 50],
    [900, 130, 140],
    [2330, 320, 340],
  ])(
    "a message of %d pixels has room for fewer than %d characters, or %d in compact rows",
    (width, ...lengths) => {
      expect([lineLengthOf(width, "comfortable"), lineLengthOf(width, "compact")]).toEqual(lengths);
    },
  );
});

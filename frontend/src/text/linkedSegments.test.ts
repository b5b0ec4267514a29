import { expect, it } from "vitest";
import type { Matcher } from "../language/matchRanges";
import { linkedSegments } from "./linkedSegments";

/** Finds every "b" with the character after it. */
const matcher: Matcher = (text) =>
  [...text.matchAll(/b.?/g)].map(({ 0: found, index }) => ({ from: index, to: index + found.length }));

function shown(text: string) {
  return linkedSegments(text, matcher).map(({ href, segments }) => [
    href,
    ...segments.map((segment) => (segment.isMatch ? `<${segment.text}>` : segment.text)),
  ]);
}

it("divides matches at the ends of addresses", () => {
  expect(shown("")).toEqual([[null, ""]]);
  expect(shown("abc")).toEqual([[null, "a", "<bc>"]]);
  expect(shown("x https://a.b/ bc")).toEqual([
    [null, "x "],
    ["https://a.b/", "https://a.", "<b/>"],
    [null, " ", "<bc>"],
  ]);
  expect(shown("https://a.de/b c")).toEqual([
    ["https://a.de/b", "https://a.de/", "<b>"],
    [null, "< >", "c"],
  ]);
});

it("keeps every character at its place", () => {
  const text = "b https://b.bb/b(b). bb https://a.b https://b";
  for (const { segments } of linkedSegments(text, matcher)) {
    for (const segment of segments) {
      expect(text.slice(segment.from, segment.from + segment.text.length)).toBe(segment.text);
    }
  }
  const all = linkedSegments(text, matcher).flatMap(({ segments }) => segments);
  expect(all.map((segment) => segment.text).join("")).toBe(text);
});

it("finds matches once, however many addresses there are", () => {
  let calls = 0;
  linkedSegments("https://a.example ".repeat(1_000), () => {
    calls += 1;
    return [];
  });
  expect(calls).toBe(1);
});

import { expect, it } from "vitest";
import { linePieces, pieces, visibleText } from "./signs";

it.each<[string, string]>([
  ["\u001b[31mred\u001b[0m", "\\x1B[31mred\\x1B[0m"],
  ["\u0000\u0007\b\r\u007f", "\\x00\\x07\\x08\\r\\x7F"],
  ["a\u0085b\u009b31m", "a\\x85b\\x9B31m"],
  ["user\u202etxt.exe\u2066\u2069", "user\\u202Etxt.exe\\u2066\\u2069"],
  ["ad\u200bmin\ufeff\u00ad\u2060\u200d", "ad\\u200Bmin\\uFEFF\\xAD\\u2060\\u200D"],
  ["a\u2028b\u{e0041}\ud800", "a\\u2028b\\u{E0041}\\uD800"],
  ["name\u3164=", "name\\u3164="],
])("draws signs for what is hidden in %j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it.each([
  "plain -> text != \t and\nlines",
  "größer, 日本語, שלום, ١٢٣",
  "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 ❤\ufe0f",
  "می\u200cخواهم",
  "क\u094d\u200dष",
])("leaves %j as it is", (text) => {
  expect(visibleText(text)).toBe(text);
});

it("loses nothing of the text and keeps its offsets", () => {
  const text = "\u001b[1m€\u202eabc\u{e0041}\n";
  const parts = pieces(text);
  expect(parts.map((piece) => piece.text).join("")).toBe(text);
  for (const { text: part, from } of parts) expect(text.slice(from, from + part.length)).toBe(part);
});

it("puts several lines on one", () => {
  const text = "panic  \n\tat main.go:7\r\n  at\tx\u202e\r";
  const parts = linePieces(text);
  expect(parts.map(({ text: part, sign }) => sign ?? part).join("")).toBe(
    "panic ↵ at main.go:7 ↵ at x\\u202E\\r",
  );
  expect(parts.map((piece) => piece.text).join("")).toBe(text);
  for (const { text: part, from } of parts) expect(text.slice(from, from + part.length)).toBe(part);
});

it("reads a long run of spaces once", () => {
  const text = `a\t${" ".repeat(1_000_000)}b`;
  expect(linePieces(text).map((piece) => piece.text)).toEqual(["a", "\t", text.slice(2)]);
});

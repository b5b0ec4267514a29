import { expect, it } from "vitest";
import { hasStackTrace } from "./stackTrace";

it.each<[string, boolean]>([
  ["java.lang.X: no\n\tat com.example.A.b(A.java:1)", true],
  ["Error: no\n    at run (index.js:1:2)", true],
  ["look at this", false],
  ["at once", false],
  ["first\n\n  at\nlast", false],
])("of %j says %s", (text, expected) => {
  expect(hasStackTrace(text)).toBe(expected);
});

it("reads a long text once", () => {
  expect(hasStackTrace("\n".repeat(1_000_000))).toBe(false);
  expect(hasStackTrace(" ".repeat(1_000_000))).toBe(false);
});

import { expect, it } from "vitest";
import { type JsonNode, readJson } from "./jsonNode";

const shown = (text: string) => {
  const lines: string[] = [];
  const add = (nodes: readonly JsonNode[], indent: string) => {
    for (const { path, raw, kind, children } of nodes) {
      lines.push(
        `${indent}${path.at(-1)} ${kind} ${children.length > 0 ? "" : text.slice(raw.from, raw.to)}`.trimEnd(),
      );
      add(children, `${indent} `);
    }
  };
  add(readJson(text) ?? [], "");
  return lines;
};

it("keeps order, digits, escapes, and names that repeat or mean something in JavaScript", () => {
  expect(
    shown('{"b":1.0,"10":12345678901234567890,"__proto__":{"x":[null,true,"\\n\\u00e9"]},"b":1e-7,"e":{}}'),
  ).toEqual([
    "b number 1.0",
    "10 number 12345678901234567890",
    "__proto__ object",
    " x array",
    "  0 null null",
    "  1 boolean true",
    '  2 string "\\n\\u00e9"',
    "b number 1e-7",
    "e object {}",
  ]);
});

it("numbers every node once, and knows strings without their escapes", () => {
  const [first, second] = readJson('[{"a":"x\\ty"},2]') ?? [];
  expect([first?.id, first?.children[0]?.id, second?.id].toSorted()).toEqual([0, 1, 2]);
  expect(first?.children[0]?.text).toBe("x\ty");
  expect(first?.children[0]?.path).toEqual([0, "a"]);
});

it.each(["", "text", "7", '"a"', "{broken", '{"a":1,}', "[1] trailing", "// no\n[1]", '{"a":}'])(
  "refuses %j",
  (text) => {
    expect(readJson(text)).toBeNull();
  },
);

it("gives up where a text is nested too deep", () => {
  const text = "[".repeat(100_000) + "]".repeat(100_000);
  expect(readJson(text)).toBeNull();
});

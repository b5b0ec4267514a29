import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { KEY_MAP } from "./keyMap";

it("lists the keys that docs/web-ui.md lists, in the same words", () => {
  const docs = readFileSync(new URL("../../../docs/web-ui.md", import.meta.url), "utf8");
  const table = docs.slice(docs.indexOf("| key |")).split("\n").slice(2);
  const rows = table.filter((line) => line.startsWith("|")).map((line) => line.replaceAll("`", ""));
  expect(KEY_MAP.map(({ keys, where, does }) => `| ${keys} | ${where} | ${does} |`)).toEqual(rows);
});

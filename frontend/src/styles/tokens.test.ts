import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "..");
/** Set by Radix on the elements of its menus. */
const OF_RADIX = /^--radix-/;

it("uses only custom properties that are defined, because an undefined colour is transparent", () => {
  const texts = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(css|tsx?)$/.test(path) && !path.includes(".test."))
    .map((path) => readFileSync(join(SOURCE, path), "utf8"));
  const all = texts.join("\n");
  const defined = new Set([...all.matchAll(/["'\s{;](--[\w-]+)["']?\s*:/g)].map((found) => found[1]));
  const used = [...all.matchAll(/var\((--[\w-]+)\)/g)].map((found) => String(found[1]));
  expect(used.length).toBeGreaterThan(100);
  expect(used.filter((name) => !defined.has(name) && !OF_RADIX.test(name))).toEqual([]);
});

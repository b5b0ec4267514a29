import { expect, it } from "vitest";
import { readJson } from "./jsonNode";
import { treeStep } from "./treeKeys";
import { FIRST_CHILDREN, firstFolding, ROOT, treeRows, withFolded, withMore } from "./treeRows";

const nodes = readJson('{"a":{"b":[1,2]},"c":3,"d":{"e":4}}') ?? [];
const allFolded = { unfolded: new Set<number>(), shown: new Map<number, number>() };
const names = (rows: ReturnType<typeof treeRows>) =>
  rows.map((row) => `${row.level}:${row.kind === "node" ? row.node.path.at(-1) : `+${row.hidden}`}`);

it("shows the children of unfolded nodes below them", () => {
  const [a] = nodes;
  expect(names(treeRows(nodes, allFolded))).toEqual(["1:a", "1:c", "1:d"]);
  const unfolded = withFolded(allFolded, [a?.id ?? 0], false);
  expect(names(treeRows(nodes, unfolded))).toEqual(["1:a", "2:b", "1:c", "1:d"]);
  expect(treeRows(nodes, unfolded)[1]).toMatchObject({ position: 1, siblings: 1 });
  expect(names(treeRows(nodes, withFolded(unfolded, [a?.id ?? 0], true)))).toEqual(["1:a", "1:c", "1:d"]);
});

it("unfolds small trees at first, and of large ones the upper levels", () => {
  expect(names(treeRows(nodes, firstFolding(nodes)))).toEqual([
    "1:a",
    "2:b",
    "3:0",
    "3:1",
    "1:c",
    "1:d",
    "2:e",
  ]);
  const wide = readJson(JSON.stringify({ few: { many: Array.from({ length: 90 }, () => 1) } })) ?? [];
  expect(names(treeRows(wide, firstFolding(wide)))).toEqual(["1:few", "2:many"]);
});

it("shows long lists in parts", () => {
  const long = readJson(JSON.stringify(Array.from({ length: 250 }, (_, index) => index))) ?? [];
  const first = treeRows(long, firstFolding(long));
  expect(first).toHaveLength(FIRST_CHILDREN + 1);
  expect(first.at(-1)).toMatchObject({
    kind: "rest",
    parent: ROOT,
    hidden: 150,
    position: 101,
    siblings: 250,
  });
  const all = withMore(withMore(firstFolding(long), ROOT), ROOT);
  expect(treeRows(long, all)).toHaveLength(250);
});

it("moves, folds and unfolds by the keys of a tree view", () => {
  const folding = firstFolding(nodes);
  const rows = treeRows(nodes, folding);
  const step = (at: number, key: string) => treeStep(rows, at, key, folding);
  expect([step(0, "ArrowDown"), step(6, "ArrowDown"), step(0, "ArrowUp")]).toEqual([
    { to: 1 },
    { to: 6 },
    { to: 0 },
  ]);
  expect([step(3, "Home"), step(3, "End")]).toEqual([{ to: 0 }, { to: 6 }]);
  expect([step(0, "ArrowRight"), step(4, "ArrowRight")]).toEqual([{ to: 1 }, null]);
  expect(step(1, "ArrowLeft")).toEqual({ ids: [1], isFolded: true });
  expect([step(3, "ArrowLeft"), step(6, "ArrowLeft"), step(4, "ArrowLeft")]).toEqual([
    { to: 1 },
    { to: 5 },
    null,
  ]);
  expect(step(0, "x")).toBeNull();
  const folded = treeRows(nodes, allFolded);
  expect(treeStep(folded, 0, "ArrowRight", allFolded)).toEqual({ ids: [nodes[0]?.id], isFolded: false });
  expect(treeStep(folded, 0, "ArrowLeft", allFolded)).toBeNull();
  expect(treeStep(folded, 1, "*", allFolded)).toEqual({ ids: [nodes[0]?.id, nodes[2]?.id], isFolded: false });
  expect(treeStep([], 0, "ArrowDown", allFolded)).toBeNull();
});

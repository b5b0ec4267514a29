import type { Folding, TreeRow } from "./treeRows";
import { isParent } from "./treeRows";

/** Effect of a key in a tree: it moves to a row, or folds or unfolds nodes. */
export type TreeStep =
  | { readonly to: number }
  | { readonly ids: readonly number[]; readonly isFolded: boolean };

/**
 * Returns the effect of a key at a row, as in the tree view of the WAI-ARIA Authoring Practices; null for no effect.
 */
export function treeStep(
  rows: readonly TreeRow[],
  at: number,
  key: string,
  folding: Folding,
): TreeStep | null {
  const row = rows[at];
  if (row === undefined) return null;
  const last = rows.length - 1;
  const parent = row.kind === "node" && isParent(row.node) ? row.node : null;
  const isUnfolded = parent !== null && folding.unfolded.has(parent.id);
  switch (key) {
    case "ArrowDown":
      return { to: Math.min(at + 1, last) };
    case "ArrowUp":
      return { to: Math.max(at - 1, 0) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: last };
    case "ArrowRight":
      if (parent === null) return null;
      return isUnfolded ? { to: at + 1 } : { ids: [parent.id], isFolded: false };
    case "ArrowLeft": {
      if (isUnfolded) return { ids: [parent.id], isFolded: true };
      const above = rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
      return above < 0 ? null : { to: above };
    }
    case "*":
      return { ids: siblingParents(rows, at), isFolded: false };
    default:
      return null;
  }
}

/** Returns the ids of all shown nodes with children that are siblings of a row, including the row's own. */
function siblingParents(rows: readonly TreeRow[], at: number): number[] {
  const level = rows[at]?.level ?? 0;
  const isHigher = (row: TreeRow) => row.level < level;
  const from = rows.slice(0, at).findLastIndex(isHigher) + 1;
  const end = rows.findIndex((row, index) => index > at && isHigher(row));
  return rows
    .slice(from, end < 0 ? rows.length : end)
    .flatMap((row) =>
      row.kind === "node" && row.level === level && isParent(row.node) ? [row.node.id] : [],
    );
}

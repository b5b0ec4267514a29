import { useMemo, useState } from "react";
import type { JsonNode } from "./jsonNode";
import { type Folding, firstFolding, ROOT, type TreeRow, treeRows, withFolded, withMore } from "./treeRows";

/** Identifies a row while nodes above it are folded and unfolded. */
export function rowKey(row: TreeRow): string {
  return row.kind === "node" ? `node ${row.node.id}` : `rest ${row.parent === ROOT ? "" : row.parent}`;
}

/** Stores which nodes of a tree are folded, and which row is its Tab stop. */
export function useTree(nodes: readonly JsonNode[]) {
  const [folding, setFolding] = useState<Folding>(() => firstFolding(nodes));
  const [stop, setStop] = useState<string | null>(null);
  const rows = useMemo(() => treeRows(nodes, folding), [nodes, folding]);
  const stopIndex = Math.max(
    rows.findIndex((row) => rowKey(row) === stop),
    0,
  );
  return {
    rows,
    folding,
    stopIndex,
    setStop,
    fold: (ids: readonly number[], isFolded: boolean) => setFolding(withFolded(folding, ids, isFolded)),
    showMore: (parent: number) => setFolding(withMore(folding, parent)),
  };
}

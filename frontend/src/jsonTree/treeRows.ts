import type { JsonNode } from "./jsonNode";

/**
 * State of a tree: the unfolded nodes, and the number of shown children of each node where it is not FIRST_CHILDREN.
 */
export interface Folding {
  readonly unfolded: ReadonlySet<number>;
  readonly shown: ReadonlyMap<number, number>;
}

interface Place {
  /** Depth in the tree, from 1. */
  readonly level: number;
  /** Number among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

/** A line of the tree: a node, or the rest of a long list of children. */
export type TreeRow = Place &
  (
    | { readonly kind: "node"; readonly node: JsonNode }
    | {
        readonly kind: "rest";
        /** Id of the node whose children are not all shown; ROOT for the tree's own. */
        readonly parent: number;
        readonly hidden: number;
      }
  );

/** Id that stands for the tree itself in place of a node's id. */
export const ROOT = -1;

/** Number of children that a node shows at first, and that each request for more adds. */
export const FIRST_CHILDREN = 100;

/** Largest number of rows up to which a tree is unfolded at first. */
const FIRST_ROWS = 60;

/** Returns the rows that are shown, in their order. */
export function treeRows(nodes: readonly JsonNode[], folding: Folding): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (children: readonly JsonNode[], parent: number, level: number) => {
    const shown = Math.min(folding.shown.get(parent) ?? FIRST_CHILDREN, children.length);
    for (const [index, node] of children.slice(0, shown).entries()) {
      rows.push({ kind: "node", node, level, position: index + 1, siblings: children.length });
      if (folding.unfolded.has(node.id)) add(node.children, node.id, level + 1);
    }
    const hidden = children.length - shown;
    if (hidden > 0)
      rows.push({ kind: "rest", parent, hidden, level, position: shown + 1, siblings: children.length });
  };
  add(nodes, ROOT, 1);
  return rows;
}

/** Returns the initial state of a tree: unfolded level by level while it has few rows. */
export function firstFolding(nodes: readonly JsonNode[]): Folding {
  const unfolded = new Set<number>();
  let rows = Math.min(nodes.length, FIRST_CHILDREN);
  for (let level = nodes; level.length > 0; level = level.flatMap(({ children }) => children)) {
    const parents = level.filter(({ children }) => children.length > 0);
    const more = parents.reduce((sum, { children }) => sum + Math.min(children.length, FIRST_CHILDREN), 0);
    if (rows + more > FIRST_ROWS) break;
    rows += more;
    for (const { id } of parents) unfolded.add(id);
  }
  return { unfolded, shown: new Map() };
}

/** Returns the folding with these nodes unfolded, or folded. */
export function withFolded(folding: Folding, ids: readonly number[], isFolded: boolean): Folding {
  const unfolded = new Set(folding.unfolded);
  for (const id of ids) {
    if (isFolded) unfolded.delete(id);
    else unfolded.add(id);
  }
  return { ...folding, unfolded };
}

/** Returns the folding with more children of a node. */
export function withMore(folding: Folding, parent: number): Folding {
  const shown = (folding.shown.get(parent) ?? FIRST_CHILDREN) + FIRST_CHILDREN;
  return { ...folding, shown: new Map([...folding.shown, [parent, shown]]) };
}

/** Returns true for a node that can be folded. */
export function isParent({ children }: JsonNode): boolean {
  return children.length > 0;
}

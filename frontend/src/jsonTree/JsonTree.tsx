import { type KeyboardEvent, type SyntheticEvent, useId, useLayoutEffect, useRef, useState } from "react";
import type { FilterBy } from "../language/editQuery";
import type { TextRange } from "../language/matchRanges";
import { testIds } from "../testIds";
import styles from "./JsonTree.module.css";
import type { JsonNode } from "./jsonNode";
import type { RecordMember } from "./nodeActions";
import { RowActions } from "./RowActions";
import { TreeItem } from "./TreeItem";
import { treeStep } from "./treeKeys";
import { isParent, type TreeRow } from "./treeRows";
import { rowKey, useTree } from "./useTree";

interface JsonTreeProps {
  readonly label: string;
  /** The JSON text that contains the nodes. */
  readonly source: string;
  readonly nodes: readonly JsonNode[];
  readonly member: RecordMember;
  /** Matches of the query in `source`. */
  readonly matches: readonly TextRange[];
  readonly onFilter: FilterBy;
  /** Narrows the query by a term. */
  readonly onTerm: (term: string) => void;
}

/**
 * Shows JSON as a tree that is a single Tab stop. Arrow keys move, fold and unfold as in the tree view of the WAI-ARIA
 * Authoring Practices; Enter opens the actions of a row. A row shows its buttons while it has the pointer or the focus.
 */
export function JsonTree({ label, source, nodes, member, matches, onFilter, onTerm }: JsonTreeProps) {
  const { rows, folding, stopIndex, setStop, fold, showMore } = useTree(nodes);
  const [hovered, setHovered] = useState<string | null>(null);
  const [hasFocus, setFocus] = useState(false);
  const [menu, setMenu] = useState<string | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const toFocus = useRef<number | null>(null);
  const idPrefix = useId();
  const focusRow = (index: number) =>
    element.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus();
  useLayoutEffect(() => {
    if (toFocus.current !== null) focusRow(toFocus.current);
    toFocus.current = null;
  });

  const rowOf = ({ target }: SyntheticEvent): TreeRow | undefined => {
    const item = (target as HTMLElement).closest<HTMLElement>("[data-index]");
    return item !== null && element.current?.contains(item) ? rows[Number(item.dataset.index)] : undefined;
  };
  const open = (row: TreeRow, index: number) => {
    if (row.kind === "node") return setMenu(rowKey(row));
    toFocus.current = index;
    showMore(row.parent);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[stopIndex];
    const isOnRow = (event.target as HTMLElement).getAttribute("role") === "treeitem";
    if (!isOnRow || row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") open(row, stopIndex);
    else {
      const step = treeStep(rows, stopIndex, event.key, folding);
      if (step === null) return;
      if ("to" in step) focusRow(step.to);
      else fold(step.ids, step.isFolded);
    }
    event.preventDefault();
  };
  const onClick = (event: SyntheticEvent) => {
    const row = rowOf(event);
    const isControl = (event.target as HTMLElement).closest("button, a") !== null;
    if (row === undefined || isControl || String(window.getSelection()) !== "") return;
    if (row.kind === "rest") open(row, rows.indexOf(row));
    else if (isParent(row.node)) fold([row.node.id], folding.unfolded.has(row.node.id));
  };
  const onFocus = (event: SyntheticEvent) => {
    const row = rowOf(event);
    setFocus(true);
    if (row !== undefined) setStop(rowKey(row));
  };
  const onPointerOver = (event: SyntheticEvent) => {
    const row = rowOf(event);
    if (row !== undefined) setHovered(rowKey(row));
  };
  return (
    <div
      ref={element}
      role="tree"
      aria-label={label}
      className={styles.tree}
      data-member={member}
      data-testid={testIds.jsonTree}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onFocus={onFocus}
      onBlur={() => setFocus(false)}
      onPointerOver={onPointerOver}
      onPointerLeave={() => setHovered(null)}
    >
      {rows.map((row, index) => {
        const key = rowKey(row);
        const isActive = key === hovered || key === menu || (hasFocus && index === stopIndex);
        return (
          <TreeItem
            key={key}
            row={row}
            index={index}
            idPrefix={idPrefix}
            source={source}
            member={member}
            matches={matches}
            isUnfolded={row.kind === "node" && folding.unfolded.has(row.node.id)}
            isStop={index === stopIndex}
          >
            {isActive && row.kind === "node" && (
              <RowActions
                node={row.node}
                source={source}
                member={member}
                isMenuOpen={key === menu}
                onMenu={(isOpen) => setMenu(isOpen ? key : null)}
                onMenuClosed={() => focusRow(index)}
                onFilter={onFilter}
                onTerm={onTerm}
              />
            )}
          </TreeItem>
        );
      })}
    </div>
  );
}

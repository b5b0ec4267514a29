import { memo, type ReactNode } from "react";
import { noMatches, type TextRange } from "../language/matchRanges";
import { testIds } from "../testIds";
import { BreakableName } from "../text/BreakableName";
import { LinkedText } from "../text/LinkedText";
import { LoggedText } from "../text/LoggedText";
import styles from "./JsonTree.module.css";
import type { JsonNode } from "./jsonNode";
import type { RecordMember } from "./nodeActions";
import { previewText, sizeText } from "./nodeText";
import { pathText } from "./pathText";
import { spanMatcher } from "./spanMatcher";
import { isParent, type TreeRow } from "./treeRows";

interface TreeItemProps {
  readonly row: TreeRow;
  readonly index: number;
  /** Prefix of the ids of the row's elements, unique to the tree. */
  readonly idPrefix: string;
  readonly source: string;
  readonly member: RecordMember;
  /** Matches of the query in the source. */
  readonly matches: readonly TextRange[];
  readonly isUnfolded: boolean;
  readonly isStop: boolean;
  readonly children: ReactNode;
}

/** Shows one line of the tree. The tree handles its keys and clicks. */
export const TreeItem = memo(function TreeItem(props: TreeItemProps) {
  const { row, index, idPrefix, isUnfolded, isStop, children } = props;
  const nameId = `${idPrefix}name${index}`;
  const valueId = `${idPrefix}value${index}`;
  const isNode = row.kind === "node";
  return (
    <div
      role="treeitem"
      className={styles.row}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={isNode && isParent(row.node) ? isUnfolded : undefined}
      aria-labelledby={isNode ? `${nameId} ${valueId}` : valueId}
      aria-haspopup={isNode ? "menu" : undefined}
      tabIndex={isStop ? 0 : -1}
      data-index={index}
      data-testid={isNode ? testIds.field : testIds.fieldRest}
      data-field={isNode ? fieldName(row.node) : undefined}
      data-lines={isNode && hasLines(row.node) ? "many" : undefined}
      style={{ "--level": row.level - 1 } as React.CSSProperties}
    >
      {isNode ? (
        <NodeCells {...props} node={row.node} nameId={nameId} valueId={valueId} />
      ) : (
        <span id={valueId} className={styles.rest}>
          {row.hidden} more
        </span>
      )}
      {children}
    </div>
  );
});

interface NodeCellsProps extends TreeItemProps {
  readonly node: JsonNode;
  readonly nameId: string;
  readonly valueId: string;
}

function NodeCells({ node, nameId, valueId, source, member, matches, isUnfolded }: NodeCellsProps) {
  return (
    <>
      <span id={nameId} className={styles.name}>
        <span className={styles.fold} aria-hidden="true" data-parent={isParent(node)} />
        <span data-testid={testIds.fieldName}>
          <Name node={node} source={source} member={member} matches={matches} />
        </span>
      </span>{" "}
      <span
        id={valueId}
        className={styles.value}
        data-kind={isParent(node) ? "size" : node.kind}
        data-testid={testIds.fieldValue}
      >
        <Value node={node} source={source} member={member} matches={matches} isUnfolded={isUnfolded} />
      </span>
    </>
  );
}

type CellProps = Pick<NodeCellsProps, "node" | "source" | "member" | "matches">;

function Name({ node, source, member, matches }: CellProps) {
  const name = node.path.at(-1) ?? "";
  if (member !== "body" || node.name === null) return <BreakableName name={String(name)} />;
  const inside = { from: node.name.from + 1, to: node.name.to - 1 };
  return (
    <LinkedText text={source.slice(inside.from, inside.to)} matcher={spanMatcher(matches, inside)} isInTree />
  );
}

function Value({ node, source, member, matches, isUnfolded }: CellProps & { readonly isUnfolded: boolean }) {
  if (isParent(node))
    return isUnfolded ? sizeText(node) : <LoggedText text={previewText(node, source)} isOneLine />;
  // An attribute's own text is shown as it was sent; inside of JSON it is written as JSON has it.
  const isPlain = node.kind === "string" && member !== "body" && node.path.length === 1;
  const text = isPlain ? node.text : source.slice(node.raw.from, node.raw.to);
  return <LinkedText text={text} matcher={isPlain ? noMatches : spanMatcher(matches, node.raw)} isInTree />;
}

function hasLines(node: JsonNode): boolean {
  return node.kind === "string" && node.path.length === 1 && node.text.includes("\n");
}

/** Returns the name that tests find a row by: an attribute's own, or the path inside of it. */
function fieldName({ path }: JsonNode): string {
  return path.length === 1 ? String(path[0]) : pathText(path);
}

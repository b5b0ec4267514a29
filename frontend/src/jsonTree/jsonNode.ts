import { type Node, type ParseError, parseTree } from "jsonc-parser";
import type { TextRange } from "../language/matchRanges";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** A value in a JSON text, with its position in that text. */
export interface JsonNode {
  /** Number of the node in its text. Nodes are numbered in the order in which they begin. */
  readonly id: number;
  /** Path from the text's root value to this value: names of members and indexes of elements. */
  readonly path: readonly (string | number)[];
  readonly kind: JsonKind;
  /** The value as written in the text: strings with quotes and escapes, numbers with the digits that were sent. */
  readonly raw: TextRange;
  /** The member's name as written in the text, with quotes and escapes; null for elements of an array. */
  readonly name: TextRange | null;
  /** Characters of a string, without escapes; "" for all other kinds. */
  readonly text: string;
  readonly children: readonly JsonNode[];
}

const STRICT = { disallowComments: true, allowTrailingComma: false } as const;

/**
 * Returns the members of the object or array in a text, in the order of the text, including members with repeated
 * names. Null for other texts, and for JSON that is nested too deep to be shown.
 */
export function readJson(text: string): readonly JsonNode[] | null {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, STRICT);
    if (root === undefined || errors.length > 0 || root.children === undefined) return null;
    let count = 0;
    const nextId = () => count++;
    return childrenOf(root, [], nextId);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function childrenOf(node: Node, path: JsonNode["path"], nextId: () => number): JsonNode[] {
  return (node.children ?? []).flatMap((child, index) => {
    if (child.type !== "property") return nodeOf(child, null, [...path, index], nextId);
    const [name, value] = child.children ?? [];
    return name === undefined || value === undefined
      ? []
      : nodeOf(value, spanOf(name), [...path, String(name.value)], nextId);
  });
}

function nodeOf(node: Node, name: TextRange | null, path: JsonNode["path"], nextId: () => number): JsonNode {
  return {
    id: nextId(),
    path,
    kind: node.type as JsonKind,
    raw: spanOf(node),
    name,
    text: node.type === "string" ? String(node.value) : "",
    children: childrenOf(node, path, nextId),
  };
}

function spanOf({ offset, length }: Node): TextRange {
  return { from: offset, to: offset + length };
}

import { LosslessNumber } from "lossless-json";
import { attributeField, resourceField } from "../language/attributeField";
import type { FilterValue } from "../language/editQuery";
import { wordTerm } from "../language/wordTerm";
import type { JsonNode } from "./jsonNode";

/** The part of a record that a tree shows. */
export type RecordMember = "body" | "attributes" | "resource";

/** Actions of the query language for a value in a tree. */
export interface NodeActions {
  /** The field and the whole value to filter for; null where no query can compare them. */
  readonly filter: { readonly field: string; readonly value: FilterValue } | null;
  /** The field to show as a column; null for values inside of a field. */
  readonly column: string | null;
  /** A term that finds the value's name and words next to each other; null where `filter` is exact, or without words. */
  readonly words: string | null;
}

const NOTHING: NodeActions = { filter: null, column: null, words: null };

/**
 * Returns the actions of a node. An attribute is a field, so it can be filtered. A value inside an attribute or a
 * message has no name in queries, so its words are searched instead.
 */
export function nodeActions(node: JsonNode, source: string, member: RecordMember): NodeActions {
  const words = source.slice(node.name?.from ?? node.raw.from, node.raw.to);
  const isLeaf = node.kind !== "object" && node.kind !== "array";
  if (member === "body") return { ...NOTHING, words: isLeaf ? wordTerm(words, null) : null };
  const [name] = node.path;
  const field = fieldOf(String(name), member);
  if (field === null) return NOTHING;
  if (node.path.length > 1) return { ...NOTHING, words: isLeaf ? wordTerm(words, field) : null };
  const value = filterValue(node, source);
  return { filter: value === null ? null : { field, value }, column: field, words: null };
}

function fieldOf(name: string, member: "attributes" | "resource"): string | null {
  return member === "attributes" ? attributeField(name) : resourceField(name);
}

/** Returns the value as a filter compares it, with the digits that were sent; null for arrays, objects and null. */
function filterValue(node: JsonNode, source: string): FilterValue | null {
  const raw = source.slice(node.raw.from, node.raw.to);
  if (node.kind === "string") return node.text;
  if (node.kind === "number") return new LosslessNumber(raw);
  return node.kind === "boolean" ? raw === "true" : null;
}

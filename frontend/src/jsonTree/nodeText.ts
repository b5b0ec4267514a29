import { indentedJson, parseLogJson } from "../api/logJson";
import { plural } from "../format/quantity";
import type { JsonNode } from "./jsonNode";

/** Largest number of characters of a folded value that its row shows. */
const PREVIEW = 160;

/** Returns the text to copy for a value: strings without quotes and escapes, objects and arrays on indented lines. */
export function copiedText(node: JsonNode, source: string): string {
  if (node.kind === "string") return node.text;
  const raw = source.slice(node.raw.from, node.raw.to);
  if (node.children.length === 0) return raw;
  try {
    return indentedJson(parseLogJson(raw));
  } catch {
    return raw; // An object in which a name repeats is no value of JavaScript.
  }
}

/** Returns the beginning of a folded value. */
export function previewText(node: JsonNode, source: string): string {
  const end = Math.min(node.raw.to, node.raw.from + PREVIEW);
  const text = source.slice(node.raw.from, end).toWellFormed().replaceAll(/\s+/g, " ");
  return end < node.raw.to ? `${text}…` : text;
}

/** Returns how many members or elements a value has, such as `3 fields`. */
export function sizeText({ kind, children }: JsonNode): string {
  return plural(children.length, kind === "array" ? "item" : "field");
}

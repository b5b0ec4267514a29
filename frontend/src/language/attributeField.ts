import recordNames from "./recordNames.json";

// Names that are the record's own before they are an attribute's. tests/repository compares them with the language's.
const RECORD_NAMES: ReadonlySet<string> = new Set(recordNames);
const PREFIXES = ["attributes.", "resource."];

/** Whether a field of a query is one that every record has, and no attribute. */
export function isRecordField(field: string): boolean {
  return RECORD_NAMES.has(field);
}

/**
 * An attribute's name in a query: with its prefix where the bare name would mean something else; null for the empty
 * name, which no query can ask about.
 */
export function attributeField(name: string, place: "attributes" | "resource" = "attributes"): string | null {
  if (name === "") return null;
  const isTaken = RECORD_NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
  return isTaken ? `${place}.${name}` : name;
}

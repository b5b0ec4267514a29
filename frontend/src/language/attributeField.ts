import recordNames from "./recordNames.json";

// Names that mean a field of the record before an attribute. tests/repository compares them with the server's language.
const RECORD_NAMES: ReadonlySet<string> = new Set(recordNames);
const PREFIXES = ["attributes.", "resource."];

/**
 * Returns an attribute's name in a query, with its prefix if the bare name would mean something else. Null for the
 * empty name and for a name with NUL, because no query can contain them.
 */
export function attributeField(name: string, place: "attributes" | "resource" = "attributes"): string | null {
  if (!canBeNamed(name)) return null;
  const isTaken = RECORD_NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
  return isTaken ? `${place}.${name}` : name;
}

/** Returns a resource attribute's name in a query, always with its prefix. Null as for `attributeField`. */
export function resourceField(name: string): string | null {
  return canBeNamed(name) ? `resource.${name}` : null;
}

function canBeNamed(name: string): boolean {
  return name !== "" && !name.includes("\0");
}

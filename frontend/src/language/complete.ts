import { writeField, writeValue } from "./editQuery";
import type { KnownFields } from "./knownFields";
import { tokenize } from "./tokenize";

export interface Suggestion {
  readonly label: string;
  readonly kind: "field" | "value";
  /** Text that replaces the typed text. */
  readonly insert: string;
}

export interface Suggestions {
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/** Returns suggestions for the cursor: field names in a bare word, known values after a field's colon. */
export function suggest(query: string, cursor: number, fields: KnownFields): Suggestions | null {
  const tokens = tokenize(query.slice(0, cursor));
  const last = tokens.at(-1);
  if (last === undefined || last.to < cursor) return null;
  if (last.kind === "word") {
    const before = tokens.at(-2);
    if (before?.kind === "field" && before.to === last.from)
      return values(before.text, last.text, last.from, fields);
    return names(last.text, last.from, fields);
  }
  return last.kind === "field" ? values(last.text, "", cursor, fields) : null;
}

/** Returns the field whose value is being typed at the cursor, with the typed part of the value; null elsewhere. */
export function valueAtCursor(query: string, cursor: number): { field: string; typed: string } | null {
  const tokens = tokenize(query.slice(0, cursor));
  const last = tokens.at(-1);
  if (last === undefined || last.to < cursor) return null;
  if (last.kind === "field") return { field: last.text, typed: "" };
  const before = tokens.at(-2);
  if (last.kind !== "word" || before?.kind !== "field" || before.to !== last.from) return null;
  return { field: before.text, typed: last.text };
}

function names(typed: string, from: number, fields: KnownFields): Suggestions | null {
  const sought = typed.toLowerCase();
  const options = [...fields.keys()]
    .filter((name) => name.toLowerCase().includes(sought))
    .sort((a, b) => rank(a, sought) - rank(b, sought))
    .map((name): Suggestion => ({ label: name, kind: "field", insert: `${writeField(name)}:` }));
  return options.length === 0 ? null : { from, options };
}

function values(field: string, typed: string, from: number, fields: KnownFields): Suggestions | null {
  const sought = typed.toLowerCase();
  const options = [...(fields.get(field) ?? [])]
    .filter((value) => value.toLowerCase().startsWith(sought) && value !== typed)
    .map((value): Suggestion => ({ label: value, kind: "value", insert: `${writeValue(value)} ` }));
  return options.length === 0 ? null : { from, options };
}

/** Sorts names that begin with the typed text first, then names with a dotted part that begins with it. */
function rank(name: string, sought: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(sought)) return 0;
  return lower.includes(`.${sought}`) ? 1 : 2;
}

import { writeField, writeValue } from "./editQuery";
import type { KnownFields } from "./knownFields";
import { splitStats } from "./statsStage";
import { type Token, tokenize } from "./tokenize";

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

/**
 * Returns suggestions for the cursor: field names in a bare word, known values after a field's colon. Names have a
 * colon, except in `| stats` and before a colon.
 */
export function suggest(query: string, cursor: number, fields: KnownFields): Suggestions | null {
  const value = valueAtCursor(query, cursor);
  if (value !== null) return values(value.field, value.typed, cursor, fields);
  const tokens = tokensUpTo(query, cursor);
  const last = tokens.at(-1);
  // The word after a pipe is the name of a stage.
  if (last?.kind !== "word" || tokens.at(-2)?.text === "|") return null;
  const isStats = splitStats(query.slice(0, cursor)).stats !== null;
  // A comma is a part of a word, except in `| stats`, where it separates names.
  const typed = isStats ? last.text.slice(last.text.lastIndexOf(",") + 1) : last.text;
  if (typed === "") return null;
  return names(typed, isStats || query.charAt(cursor) === ":" ? "" : ":", cursor, fields);
}

/** Returns the field whose value is being typed at the cursor, with the typed part of the value; null elsewhere. */
export function valueAtCursor(query: string, cursor: number): { field: string; typed: string } | null {
  const tokens = tokensUpTo(query, cursor);
  const last = tokens.at(-1);
  if (last?.kind === "field") return { field: last.text, typed: "" };
  if (last?.kind !== "word") return null;
  const before = tokens.at(-2);
  const isOperand = before?.kind === "field" && before.to === last.from;
  const field = isOperand ? before : opening(tokens).findLast((each) => each?.kind === "field");
  return field === undefined ? null : { field: field.text, typed: last.text };
}

/** Returns the tokens before the cursor; none if it is behind a space. */
function tokensUpTo(query: string, cursor: number): readonly Token[] {
  const tokens = tokenize(query.slice(0, cursor));
  return tokens.at(-1)?.to === cursor ? tokens : [];
}

/** Returns the token before each parenthesis that is not closed, such as the field of `field:(a OR b`. */
function opening(tokens: readonly Token[]): (Token | undefined)[] {
  const opened: (Token | undefined)[] = [];
  tokens.forEach(({ kind }, index) => {
    if (kind === "open") opened.push(tokens[index - 1]);
    else if (kind === "close") opened.pop();
  });
  return opened;
}

function names(typed: string, colon: string, cursor: number, fields: KnownFields): Suggestions | null {
  const sought = typed.toLowerCase();
  const options = [...fields.keys()]
    .filter((name) => name.toLowerCase().includes(sought))
    .sort((a, b) => rank(a, sought) - rank(b, sought))
    .map((name): Suggestion => ({ label: name, kind: "field", insert: writeField(name) + colon }));
  return options.length === 0 ? null : { from: cursor - typed.length, options };
}

function values(field: string, typed: string, cursor: number, fields: KnownFields): Suggestions | null {
  const sought = typed.toLowerCase();
  const options = [...(fields.get(field) ?? [])]
    .filter((value) => value.toLowerCase().startsWith(sought) && value !== typed)
    .map((value): Suggestion => ({ label: value, kind: "value", insert: `${writeValue(value)} ` }));
  return options.length === 0 ? null : { from: cursor - typed.length, options };
}

/** Sorts names that begin with the typed text first, then names with a dotted part that begins with it. */
function rank(name: string, sought: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(sought)) return 0;
  return lower.includes(`.${sought}`) ? 1 : 2;
}

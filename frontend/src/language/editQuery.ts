import { LosslessNumber } from "lossless-json";
import type { Token } from "./tokenize";
import { tokenize, trimQuery } from "./tokenize";

/** Values that a filter can compare with. Arrays and objects cannot be written in a query. */
export type FilterValue = string | number | boolean | LosslessNumber;

/** Direction of a filter: keeps only records with the value, or only records without it. */
export type FilterBy = (field: string, value: FilterValue, isExcluded: boolean) => void;

const PLAIN_VALUE = /^[0-9A-Za-z_.@/][\w.@/-]*$/;
const FIELD_NAME = /^[A-Za-z_@][\w.@/-]*$/;
/** All of ASCII but NUL, letters, digits, `_` and `.`: the characters that may have a meaning in a value. */
const ASCII_PUNCTUATION = /[^\0\w.\u0080-\uFFFF]/g;
const RESERVED = new Set(["AND", "OR", "NOT", "TO"]);

/** Returns a field's name as written before a colon, in quotes if it needs them. */
export function writeField(name: string): string {
  return FIELD_NAME.test(name) ? name : quote(name);
}

/** Returns the name of a field that is written as `writeField` does. */
export function readField(written: string): string {
  return written.startsWith('"') ? (tokenize(written)[0]?.text ?? "") : written;
}

export function isFilterValue(value: unknown): value is FilterValue {
  return (
    typeof value === "string" ||
    typeof value === "boolean" ||
    value instanceof LosslessNumber ||
    (typeof value === "number" && Number.isFinite(value))
  );
}

/** Returns `field:value` with quotes where the language needs them. */
export function writeFilter(field: string, value: FilterValue): string {
  const isNumber = typeof value === "number" || value instanceof LosslessNumber;
  return `${writeField(field)}:${isNumber ? writeNumber(String(value)) : writeValue(String(value))}`;
}

/**
 * Returns a term that finds a number, given with its digits. Attributes are compared as they were stored: whole numbers
 * as digits, doubles as Python's `repr` writes them, which the digits of the record are but where there is an exponent.
 * An index answers equality but no range, so a range is used only there.
 */
function writeNumber(digits: string): string {
  const size = Math.abs(Number(digits));
  const isWrittenOut = size === 0 || (size >= 1e-4 && size < 1e16);
  const isStoredAlike = /^-?\d+$/.test(digits) || (/^-?\d+\.\d+$/.test(digits) && isWrittenOut);
  return isStoredAlike ? writeValue(digits) : `[${digits} TO ${digits}]`;
}

/**
 * Returns a whole value as written after the colon. A query cannot contain NUL, so that a value with NUL becomes a
 * glob, which may find other values too.
 */
export function writeValue(text: string): string {
  if (text.includes("\0")) return text.replaceAll(ASCII_PUNCTUATION, "\\$&").replaceAll(/\0+/g, "*");
  const isPlain = PLAIN_VALUE.test(text) && !text.startsWith("/") && !RESERVED.has(text);
  return isPlain ? text : quote(text);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/**
 * Returns the query narrowed to records with that value, or without it where it is excluded. The opposite filter is
 * removed, and a filter that the query already has is not repeated.
 */
export function addFilter(query: string, field: string, value: FilterValue, excluded: boolean): string {
  const filter = writeFilter(field, value);
  const wanted = excluded ? `-${filter}` : filter;
  const opposite = excluded ? filter : `-${filter}`;
  const rest = removeTerm(query, opposite);
  return addTerm(rest, wanted);
}

/** Returns the query narrowed by a term, such as a phrase, unless it has the term already. */
export function addTerm(query: string, term: string): string {
  return requiredTerm(query, term) === undefined ? narrow(query, term) : trimQuery(query);
}

/** Returns `query AND term`, with parentheses around the query if it has an OR at its top level. */
export function narrow(query: string, term: string): string {
  const trimmed = trimQuery(query);
  if (trimmed === "") return term;
  const hasOr = topLevelTokens(trimmed).some((token) => token.kind === "boolean" && token.text === "OR");
  return hasOr ? `(${trimmed}) ${term}` : `${trimmed} ${term}`;
}

/** A part of a query that stands by itself, such as `-field:(a OR b)`, with its UTF-16 offsets, end excluded. */
export interface Term {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Returns a term that every match of the query fulfils; undefined if no term is this text. In a query with OR or NOT at
 * its top level, no term is known to be required.
 */
function requiredTerm(query: string, term: string): Term | undefined {
  const isJoined = topLevelTokens(query).every(({ kind, text }) => kind !== "boolean" || text === "AND");
  return isJoined ? topLevelTerms(query).find(({ text }) => text === term) : undefined;
}

function removeTerm(query: string, term: string): string {
  const found = requiredTerm(query, term);
  return trimQuery(found === undefined ? query : removeRange(query, found));
}

/** Removes a term, and an AND that joined it to the rest. */
export function removeRange(query: string, { from, to }: Pick<Term, "from" | "to">): string {
  const before = trimQuery(query.slice(0, from));
  const after = trimQuery(query.slice(to));
  if (/(^|[ \t\r\n\f\v)])AND$/.test(before)) return `${trimQuery(before.slice(0, -3))} ${after}`;
  return `${before} ${trimQuery(after.replace(/^AND(?=[ \t\r\n\f\v("])/, ""))}`;
}

/** Returns the runs of tokens without space between them. A group belongs to its run: `-field:(a OR b)` is one term. */
export function topLevelTerms(query: string): Term[] {
  const terms: Term[] = [];
  let depth = 0;
  for (const { kind, from, to } of tokenize(query)) {
    const previous = terms.at(-1);
    if (previous !== undefined && (depth > 0 || previous.to === from)) {
      terms[terms.length - 1] = { from: previous.from, to, text: query.slice(previous.from, to) };
    } else terms.push({ from, to, text: query.slice(from, to) });
    if (kind === "open") depth += 1;
    else if (kind === "close") depth = Math.max(0, depth - 1);
  }
  return terms;
}

/** Returns the tokens outside all parentheses, without the parentheses. */
export function topLevelTokens(query: string): Token[] {
  let depth = 0;
  return tokenize(query).filter(({ kind }) => {
    if (kind === "open") depth += 1;
    else if (kind === "close") depth = Math.max(0, depth - 1);
    else return depth === 0;
    return false;
  });
}

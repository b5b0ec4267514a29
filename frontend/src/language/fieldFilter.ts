import {
  narrow,
  removeRange,
  type Term,
  topLevelTerms,
  topLevelTokens,
  writeField,
  writeValue,
} from "./editQuery";
import { resolveEscapes, type Token, tokenize, trimQuery } from "./tokenize";

/** Values of one field that a query requires, and values that it excludes. */
export interface FieldFilter {
  readonly only: readonly string[];
  readonly without: readonly string[];
}

export const NO_FILTER: FieldFilter = { only: [], without: [] };

/**
 * Reads the filters of all fields: `field:a`, `field:(a OR b)` and `-field:a`, next to each other or joined by AND. Other
 * filters, such as ranges, and all filters of a query with OR or NOT at its top level are left out.
 */
export function readFieldFilters(query: string): ReadonlyMap<string, FieldFilter> {
  const filters = new Map<string, FieldFilter>();
  for (const { field, values, isExcluded } of filtersOf(query)) {
    const { only, without } = filters.get(field) ?? NO_FILTER;
    filters.set(
      field,
      isExcluded ? { only, without: [...without, ...values] } : { only: [...only, ...values], without },
    );
  }
  return filters;
}

/** Reads the filters of one field, as `readFieldFilters` does. */
export function readFieldFilter(query: string, field: string): FieldFilter {
  return readFieldFilters(query).get(field) ?? NO_FILTER;
}

/** Returns the query without the filters of the field that `readFieldFilter` reads. */
export function withoutFieldFilter(query: string, field: string): string {
  // `removeRange` trims the text, so only in a trimmed text the filters before a removed one keep their offsets.
  const trimmed = trimQuery(query);
  const filters = filtersOf(trimmed).filter((filter) => filter.field === field);
  return trimQuery(filters.toReversed().reduce((text, { term }) => removeRange(text, term), trimmed));
}

/** Returns the query with these filters of the field in place of those that `readFieldFilter` reads. */
export function setFieldFilter(query: string, field: string, { only, without }: FieldFilter): string {
  const name = writeField(field);
  const written = only.map(writeValue);
  const wanted =
    written.length > 1 ? [`${name}:(${written.join(" OR ")})`] : written.map((text) => `${name}:${text}`);
  const unwanted = without.map((value) => `-${name}:${writeValue(value)}`);
  return [...wanted, ...unwanted].reduce(narrow, withoutFieldFilter(query, field));
}

/** Returns the filter with the value added to the required ones, or removed if it was among them. */
export function toggleOnly({ only, without }: FieldFilter, value: string): FieldFilter {
  return { only: toggled(only, value), without: without.filter((each) => each !== value) };
}

/** Returns the filter with the value added to the excluded ones, or removed if it was among them. */
export function toggleWithout({ only, without }: FieldFilter, value: string): FieldFilter {
  return { only: only.filter((each) => each !== value), without: toggled(without, value) };
}

function toggled(values: readonly string[], value: string): string[] {
  return values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
}

interface ReadFilter {
  readonly term: Term;
  readonly field: string;
  readonly values: readonly string[];
  readonly isExcluded: boolean;
}

function filtersOf(query: string): ReadFilter[] {
  // Tokens are tested and not terms, because touching tokens are one term, as in `a OR(b)`.
  if (topLevelTokens(query).some(({ kind, text }) => kind === "boolean" && text !== "AND")) return [];
  return topLevelTerms(query).flatMap((term) => readFilter(term) ?? []);
}

function readFilter(term: Term): ReadFilter | null {
  const [first, ...others] = tokenize(term.text);
  const isExcluded = first?.kind === "negation";
  const [name, ...value] = isExcluded ? others : [first, ...others];
  if (name?.kind !== "field") return null;
  const values = valuesOf(value.filter((token) => token !== undefined));
  return values === null ? null : { term, field: name.text, values, isExcluded };
}

/** Returns the values of `a`, `"a b"` or `(a OR b)`; null for every other form. */
function valuesOf(tokens: readonly Token[]): string[] | null {
  const isGroup = tokens.length > 2 && tokens[0]?.kind === "open" && tokens.at(-1)?.kind === "close";
  const inner = isGroup ? tokens.slice(1, -1) : tokens;
  const values = inner.filter((_, index) => index % 2 === 0);
  const between = inner.filter((_, index) => index % 2 === 1);
  const isList =
    inner.length % 2 === 1 && between.every(({ kind, text }) => kind === "boolean" && text === "OR");
  const areValues = values.every(({ kind }) => kind === "word" || kind === "phrase");
  return isList && areValues
    ? values.map(({ kind, text }) => (kind === "word" ? resolveEscapes(text) : text))
    : null;
}

import { type Token, tokenize, trimQuery } from "./tokenize";

/**
 * The two parts of a query text: the condition on logs, and the text after `| stats`. Without `| stats`, the second
 * part is null.
 */
export interface QueryParts {
  readonly query: string;
  readonly stats: string | null;
}

const STAGE = /^\|[ \t\r\n\f\v]*stats(?![^ \t\r\n\f\v])/;

/** Splits a text at `| stats`. Only a `|` where a term of the query could start counts. The parts are trimmed. */
export function splitStats(text: string): QueryParts {
  let depth = 0;
  let previous: Token | undefined;
  for (const token of tokenize(text)) {
    const { kind, from } = token;
    if (kind === "open") depth += 1;
    else if (kind === "close") depth = Math.max(0, depth - 1);
    const isTerm = kind === "word" && depth === 0 && !isOperand(from, previous);
    const stage = isTerm ? STAGE.exec(text.slice(from)) : null;
    if (stage !== null) {
      return { query: trimQuery(text.slice(0, from)), stats: trimQuery(text.slice(from + stage[0].length)) };
    }
    previous = token;
  }
  return { query: trimQuery(text), stats: null };
}

/**
 * Returns true for a word that belongs to the token right before it: after a field or a comparison, its value; after a
 * minus, the excluded word.
 */
function isOperand(from: number, previous: Token | undefined): boolean {
  if (previous?.to !== from) return false;
  return ["field", "comparison", "negation"].includes(previous.kind);
}

/**
 * Returns the parts that a search page runs for a text; without `| stats`, the second part is empty. A `| stats` without
 * a function stays in the query, so that the API answers with an error that says what is missing.
 */
export function searchParts(text: string): { readonly query: string; readonly stats: string } {
  const { query, stats } = splitStats(text);
  return stats === "" ? { query: trimQuery(text), stats } : { query, stats: stats ?? "" };
}

/** Returns the text that the query bar shows for a condition and a stage. Leaves out an empty stage. */
export function joinStats(query: string, stats: string): string {
  if (stats === "") return query;
  const condition = trimQuery(query);
  return `${condition === "" ? "" : `${condition} `}| stats ${stats}`;
}

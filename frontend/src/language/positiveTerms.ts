import type { Token } from "./tokenize";
import { resolveEscapes, tokenize } from "./tokenize";

/** A term that a matching message contains and the page therefore marks. */
export interface PositiveTerm {
  readonly kind: "words" | "wildcard" | "regex";
  readonly text: string;
}

interface Scope {
  readonly negated: boolean;
  /** False inside `field:( … )`, unless the field is the body. */
  readonly onBody: boolean;
}

/**
 * Returns the words, phrases, wildcards and expressions that the query requires in the body, each once and without
 * negated ones.
 */
export function positiveTerms(query: string): PositiveTerm[] {
  const found = new Map<string, PositiveTerm>();
  const scopes: Scope[] = [{ negated: false, onBody: true }];
  let negateNext = false;
  let field: string | null = null;
  let comparison = "";

  for (const token of tokenize(query)) {
    const scope = scopes.at(-1) ?? { negated: false, onBody: true };
    switch (token.kind) {
      case "negation":
        negateNext = !negateNext;
        continue;
      case "boolean":
        if (token.text === "NOT") negateNext = !negateNext;
        continue;
      case "field":
        field = token.text;
        continue;
      case "comparison":
        comparison = token.text;
        continue;
      case "open":
        scopes.push({
          negated: scope.negated !== negateNext,
          onBody: field === null ? scope.onBody : field === "body",
        });
        break;
      case "close":
        if (scopes.length > 1) scopes.pop();
        break;
      default: {
        const onBody = field === null ? scope.onBody : field === "body" && isTextual(comparison);
        const term = termOf(token);
        if (onBody && term !== null && scope.negated === negateNext)
          found.set(`${term.kind} ${term.text}`, term);
      }
    }
    negateNext = false;
    field = null;
    comparison = "";
  }
  return [...found.values()];
}

function isTextual(comparison: string): boolean {
  return comparison === "" || comparison === "~";
}

function termOf(token: Token): PositiveTerm | null {
  switch (token.kind) {
    case "word":
      return { kind: "words", text: resolveEscapes(token.text) };
    case "phrase":
      return { kind: "words", text: token.text };
    case "wildcard":
      return token.text === "*" ? null : { kind: "wildcard", text: token.text };
    case "regex":
      return { kind: "regex", text: token.text };
    default:
      return null;
  }
}

/**
 * Splits query text into tokens for colouring, completion and match highlighting. It accepts every text: the API
 * alone decides what is a valid query and says where it is not (docs: query language).
 */
export type TokenKind =
  | "word"
  | "phrase"
  | "wildcard"
  | "regex"
  | "field"
  | "comparison"
  | "range"
  | "boolean"
  | "negation"
  | "open"
  | "close";

export interface Token {
  readonly kind: TokenKind;
  /** UTF-16 offsets into the query text, end excluded. */
  readonly from: number;
  readonly to: number;
  /** The token's meaning: quotes, slashes, brackets and the field's colon removed, escapes resolved. */
  readonly text: string;
}

// White space is ASCII, as in the grammar. Every other character is part of a word, while `\s` has all of Unicode.
const FIELD = /([A-Za-z_@][\w.@/-]*):(?!\/\/)(?![ \t\r\n\f\v]+[^ \t\r\n\f\v])/y;
const QUOTED_FIELD = /"((?:[^"\\]|\\[\s\S])*)":/y;
const COMPARISON = />=|<=|>|<|~/y;
const BOOLEAN = /(?:AND|OR|NOT)(?![^ \t\r\n\f\v()"])/y;
const PHRASE = /"((?:[^"\\]|\\[\s\S])*)("|$)/y;
const REGEX = /\/((?:[^/\\]|\\[\s\S])+)\/(?![^ \t\r\n\f\v()"])/y;
const RANGE = /[[{]([^\]}]*)([\]}]|$)/y;
const BARE = /(?:\\[\s\S]|[^ \t\r\n\f\v()"\\])+|\\/y;
const SPACE = /[ \t\r\n\f\v]+/y;

type Rule = readonly [kind: TokenKind, pattern: RegExp];

const AT_TERM: readonly Rule[] = [
  ["boolean", BOOLEAN],
  ["open", /\(/y],
  ["close", /\)/y],
  ["negation", /-(?=[^ \t\r\n\f\v)])/y],
  ["field", QUOTED_FIELD],
  ["phrase", PHRASE],
  ["regex", REGEX],
  ["field", FIELD],
  ["word", BARE],
];
const AT_VALUE: readonly Rule[] = [
  ["comparison", COMPARISON],
  ["range", RANGE],
  ["open", /\(/y],
  ["close", /\)/y],
  ["phrase", PHRASE],
  ["word", BARE],
];
const AT_BODY_VALUE: readonly Rule[] = [["regex", REGEX], ...AT_VALUE];

export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < query.length) {
    const space = matchAt(SPACE, query, position);
    if (space !== null) {
      position += space[0].length;
      continue;
    }
    const token = readToken(query, position, rulesAfter(tokens.at(-1), position));
    tokens.push(token);
    position = token.to;
  }
  return tokens;
}

/** Returns the query without white space around it. A space that a backslash escapes stays, because it is part of a word. */
export function trimQuery(query: string): string {
  const tokens = tokenize(query);
  return query.slice(tokens[0]?.from ?? query.length, tokens.at(-1)?.to);
}

/** A value follows "field:" or "field:>=" without a space. Only the body takes expressions. */
function rulesAfter(previous: Token | undefined, position: number): readonly Rule[] {
  const opensValue = previous?.kind === "field" || previous?.kind === "comparison";
  if (!opensValue || previous.to !== position) return AT_TERM;
  return previous.text === "body" ? AT_BODY_VALUE : AT_VALUE;
}

function readToken(query: string, from: number, rules: readonly Rule[]): Token {
  for (const [kind, pattern] of rules) {
    const match = matchAt(pattern, query, from);
    if (match !== null && match[0] !== "") {
      const text = match[1] ?? match[0];
      const to = from + match[0].length;
      if (kind === "word") return { kind: hasWildcard(text) ? "wildcard" : "word", from, to, text };
      return { kind, from, to, text: match[0].startsWith('"') ? resolveEscapes(text) : text };
    }
  }
  return { kind: "word", from, to: from + 1, text: query.charAt(from) };
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function hasWildcard(text: string): boolean {
  return text.replaceAll(/\\[\s\S]/g, "").includes("*");
}

/** Resolves backslash escapes of phrases and bare words. */
export function resolveEscapes(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, "$1");
}

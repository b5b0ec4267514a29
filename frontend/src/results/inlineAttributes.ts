import { valueText } from "../api/logJson";

const MAX_SHOWN = 8;
const LONGEST = 60;

export interface InlineAttribute {
  readonly name: string;
  readonly value: string;
}

/** Returns the first attributes that fit behind a message on its line, without those that columns show. */
export function inlineAttributes(
  attributes: Record<string, unknown>,
  inColumns: ReadonlySet<string | null> = new Set(),
): InlineAttribute[] {
  return Object.entries(attributes)
    .filter(([name]) => !inColumns.has(name))
    .slice(0, MAX_SHOWN)
    .map(([name, value]) => ({ name, value: shorten(valueText(value)) }));
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

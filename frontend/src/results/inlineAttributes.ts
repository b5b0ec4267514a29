import { valueText } from "../api/logJson";

const MAX_SHOWN = 8;
const LONGEST = 60;

export interface InlineAttribute {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the first attributes that fit behind a message on its line, without those that columns show. The last one may
 * end behind the line. `room` is the number of characters that are left of the line.
 */
export function inlineAttributes(
  attributes: Record<string, unknown>,
  inColumns: ReadonlySet<string | null> = new Set(),
  room = Number.POSITIVE_INFINITY,
): InlineAttribute[] {
  const shown: InlineAttribute[] = [];
  let left = room;
  for (const [name, content] of Object.entries(attributes)) {
    if (left <= 0 || shown.length === MAX_SHOWN) break;
    if (inColumns.has(name)) continue;
    const value = shorten(valueText(content));
    shown.push({ name, value });
    left -= name.length + 1 + value.length;
  }
  return shown;
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

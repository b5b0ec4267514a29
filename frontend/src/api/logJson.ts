import { LosslessNumber, parse, stringify } from "lossless-json";

/**
 * Finds a number outside strings that JavaScript may write with other digits than were sent: `503.0`, `1e-7`, or one of
 * 16 digits and more. Text in a message may look like such a number; then parsing only takes longer.
 */
const MAY_LOSE_DIGITS = /[[,:]\s*-?(?:\d[\d.]{15}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE])/;

/**
 * Parses JSON with records. Numbers that JavaScript would write with other digits than they were sent are
 * LosslessNumbers, which keep their digits. Throws a SyntaxError for text that is not JSON.
 */
export function parseLogJson(text: string): unknown {
  return MAY_LOSE_DIGITS.test(text) ? parse(text, undefined, exactNumber) : JSON.parse(text);
}

/** Returns any value of a record as text: strings as they are, the rest as JSON with the digits that were sent. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : (stringify(value) ?? "");
}

/** Returns true for the text of a JSON object or array that is not empty. */
export function isJsonTree(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return Object.keys(JSON.parse(text) as object).length > 0;
  } catch {
    return false;
  }
}

/** Returns any value of a record as JSON on indented lines, with the digits that were sent. */
export function indentedJson(value: unknown): string {
  return stringify(value, null, 2) ?? "";
}

function exactNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  return String(value) === text ? value : new LosslessNumber(text);
}

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
  if (!MAY_LOSE_DIGITS.test(text)) return JSON.parse(text);
  return SHOWS_DIGITS ? JSON.parse(text, withDigits) : parse(text, undefined, exactNumber);
}

/** Returns a part of such JSON that holds no record, with numbers that can be calculated with. */
export function plainNumbers<Part>(part: Part): Part {
  return JSON.parse(stringify(part) ?? "null");
}

/** Third argument of a reviver of JSON.parse. Browsers released before 2025 do not pass it. */
interface ParsedText {
  readonly source?: string;
}

function withDigits(_name: string, value: unknown, parsed?: ParsedText): unknown {
  return typeof value === "number" && parsed?.source !== undefined ? exactNumber(parsed.source) : value;
}

/** True if JSON.parse gives access to the digits that were sent, which takes a fraction of the time of another parser. */
const SHOWS_DIGITS = JSON.parse("1.0", (_name, _value, parsed?: ParsedText) => parsed?.source) === "1.0";

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

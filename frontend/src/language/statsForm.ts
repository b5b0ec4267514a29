import type { TimeWindow } from "../time/timeExpression";
import { readField, writeField } from "./editQuery";
import { suggestedStep } from "./timeStep";
import { trimQuery } from "./tokenize";

/** Functions that the form offers, each with the text that users see. All except `count` and `rate` take a field. */
export const FUNCTIONS = [
  ["count", "Count of logs"],
  ["rate", "Logs per second"],
  ["uniq", "Different values of"],
  ["avg", "Average of"],
  ["sum", "Sum of"],
  ["min", "Smallest"],
  ["max", "Largest"],
  ["p50", "Median of"],
  ["p90", "90th percentile of"],
  ["p95", "95th percentile of"],
  ["p99", "99th percentile of"],
] as const;

export type FunctionName = (typeof FUNCTIONS)[number][0];

/** The choices of the form above a chart. `step` is the width of a time bucket, empty for no time buckets. */
export interface StatsForm {
  readonly name: FunctionName;
  readonly field: string;
  readonly by: string;
  readonly step: string;
}

/** Largest number of groups that a form with time buckets requests: the number of colours. */
export const SERIES = 5;
/** Largest number of groups that a form without time buckets requests. */
const ROWS = 20;

export function takesField(name: FunctionName): boolean {
  return name !== "count" && name !== "rate";
}

/** Returns the form that counts logs in time buckets that suit the window. */
export function countOverTime(window: TimeWindow): StatsForm {
  return { name: "count", field: "", by: "", step: suggestedStep(window) };
}

/** Returns the text after `| stats` for a form; null while the chosen function needs a field and has none. */
export function writeStats({ name, field, by, step }: StatsForm): string | null {
  if (takesField(name) && field === "") return null;
  const groups = [...(by === "" ? [] : [writeField(by)]), ...(step === "" ? [] : [`time(${step})`])];
  const call = `${name}(${takesField(name) ? writeField(field) : ""})`;
  const limit = by === "" ? "" : ` | limit ${step === "" ? ROWS : SERIES}`;
  return `${call}${groups.length === 0 ? "" : ` by ${groups.join(", ")}`}${limit}`;
}

const FIELD = String.raw`"(?:[^"\\]|\\.)*"|[A-Za-z_@][\w.@/-]*`;
const FORM = new RegExp(
  String.raw`^(\w+)\(\s*(${FIELD})?\s*\)(?:\s+by\s+(?:(${FIELD})(?!\())?(?:\s*,?\s*time\((\w+)\))?)?(?:\s*\|\s*limit\s+\d+)?$`,
);

/**
 * Returns the form that writes this text, apart from the limit; null for a text with parts for which the form has no
 * fields.
 */
export function readStats(text: string): StatsForm | null {
  const found = FORM.exec(trimQuery(text));
  const name = FUNCTIONS.find(([each]) => each === found?.[1])?.[0];
  if (found === null || name === undefined) return null;
  const [, , field = "", by = "", step = ""] = found;
  const form = { name, field: readField(field), by: readField(by), step };
  if (takesField(name) !== (field !== "")) return null;
  return writeStats(form)?.replace(/ \| limit \d+$/, "") ===
    trimQuery(text).replace(/\s*\|\s*limit\s+\d+$/, "")
    ? form
    : null;
}

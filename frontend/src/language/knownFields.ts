import type { Log } from "../api/types";
import { SEVERITIES } from "../severity/severity";
import { attributeField } from "./attributeField";
import { isFilterValue } from "./editQuery";

/** Field names seen in records, each with some of its values, both in the order they were first seen. */
export type KnownFields = ReadonlyMap<string, ReadonlySet<string>>;

const MAX_RECORDS = 400;
const MAX_VALUES = 30;
const LONGEST_VALUE = 60;

const BUILT_IN: readonly (readonly [string, readonly string[]])[] = [
  ["service", []],
  ["severity", SEVERITIES.filter((severity) => severity !== "unspecified")],
  ["body", []],
  ["trace_id", []],
  ["span_id", []],
  ["event_name", []],
  ["scope.name", []],
];

/**
 * Returns the fields for completion: first the fields that every record has, then the fields of the newest loaded
 * records.
 */
export function knownFields(logs: readonly Log[]): KnownFields {
  const fields = new Map<string, Set<string>>();
  for (const [name, values] of BUILT_IN) fields.set(name, new Set(values));
  for (const log of logs.slice(0, MAX_RECORDS)) {
    remember(fields, "service", log.service);
    remember(fields, "event_name", log.event_name);
    remember(fields, "scope.name", log.scope.name);
    for (const [name, value] of Object.entries(log.attributes)) {
      remember(fields, attributeField(name), value);
    }
    for (const [name, value] of Object.entries(log.resource)) {
      remember(fields, attributeField(name, "resource"), value);
    }
  }
  return fields;
}

/** Returns the known fields followed by the names that the server has counted. */
export function withNames(fields: KnownFields, names: readonly string[]): KnownFields {
  const unknown = names.filter((name) => !fields.has(name)).map((name) => [name, new Set<string>()] as const);
  return new Map([...fields, ...unknown]);
}

/** Returns the known fields with these values of one field before its known values. */
export function withValues(fields: KnownFields, name: string, values: readonly string[]): KnownFields {
  return new Map([...fields, [name, new Set([...values, ...(fields.get(name) ?? [])])]]);
}

function remember(fields: Map<string, Set<string>>, name: string | null, value: unknown): void {
  if (name === null) return;
  let values = fields.get(name);
  if (values === undefined) {
    values = new Set();
    fields.set(name, values);
  }
  if (values.size >= MAX_VALUES || !isFilterValue(value) || value === "") return;
  const text = String(value);
  if (text.length <= LONGEST_VALUE) values.add(text);
}

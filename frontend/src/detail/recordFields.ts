import type { Log } from "../api/types";
import type { FilterValue } from "../language/editQuery";

/** A value in the detail panel, and the field a query names it by; null where the language has none. */
export interface RecordField {
  readonly name: string;
  readonly value: unknown;
  readonly queryField: string | null;
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly RecordField[];
}

/** Narrows the query to records with that value, or without it. */
export type FilterBy = (field: string, value: FilterValue, isExcluded: boolean) => void;

/** Names that the query language takes for the record's own (backend/language/fields.py). */
const RECORD_NAMES = new Set([
  "body",
  "service",
  "severity",
  "severity_number",
  "severity_text",
  "trace_id",
  "span_id",
  "flags",
  "event_name",
  "scope.name",
  "scope.version",
  "body_truncated_bytes",
  "timestamp",
  "observed_timestamp",
  "id",
  "attributes",
  "resource",
  "scope",
]);

/** An attribute's name in a query: with its prefix where the bare name would mean something else. */
export function attributeField(name: string): string {
  const isTaken = RECORD_NAMES.has(name) || name.startsWith("attributes.") || name.startsWith("resource.");
  return isTaken || name === "" ? `attributes.${name}` : name;
}

/** Everything a record has besides its body and times; empty values and groups are left out. */
export function fieldGroups(log: Log): FieldGroup[] {
  const own = (name: string, value: unknown): RecordField => ({ name, value, queryField: name });
  const groups: FieldGroup[] = [
    {
      title: "Attributes",
      fields: Object.entries(log.attributes).map(([name, value]) => ({
        name,
        value,
        queryField: attributeField(name),
      })),
    },
    {
      title: "Trace",
      fields: [own("trace_id", log.trace_id), own("span_id", log.span_id), own("flags", log.flags)],
    },
    {
      title: "Resource",
      fields: Object.entries(log.resource).map(([name, value]) => ({
        name,
        value,
        queryField: `resource.${name}`,
      })),
    },
    {
      title: "Record",
      fields: [
        own("service", log.service),
        own("severity_text", log.severity_text),
        own("severity_number", log.severity_number),
        own("event_name", log.event_name),
        own("scope.name", log.scope.name),
        own("scope.version", log.scope.version),
        { name: "id", value: log.id, queryField: null },
      ],
    },
  ];
  return groups
    .map(({ title, fields }) => ({
      title,
      fields: fields.filter(({ name, value }) => hasValue(name, value)),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function hasValue(name: string, value: unknown): boolean {
  const isUnset = value === "" || (value === 0 && (name === "flags" || name === "severity_number"));
  return !isUnset || !RECORD_NAMES.has(name);
}

import { valueText } from "../api/logJson";
import type { Log } from "../api/types";
import { severityOf } from "../severity/severity";

const ATTRIBUTES = "attributes.";
const RESOURCE = "resource.";

/** Returns the value of a field as text, "" if the record has none. The field's name is written as in queries. */
export function columnText(log: Log, field: string): string {
  const own = OWN.get(field);
  if (own !== undefined) return own(log);
  const attribute = columnAttribute(log, field);
  if (attribute !== null) return valueText(log.attributes[attribute]);
  if (field.startsWith(ATTRIBUTES)) return "";
  const name = field.startsWith(RESOURCE) ? field.slice(RESOURCE.length) : field;
  return Object.hasOwn(log.resource, name) ? valueText(log.resource[name]) : "";
}

/** Returns the name of the log attribute that a column shows; null for a column of any other field. */
export function columnAttribute(log: Log, field: string): string | null {
  if (OWN.has(field) || field.startsWith(RESOURCE)) return null;
  const name = field.startsWith(ATTRIBUTES) ? field.slice(ATTRIBUTES.length) : field;
  return Object.hasOwn(log.attributes, name) ? name : null;
}

const OWN: ReadonlyMap<string, (log: Log) => string> = new Map<string, (log: Log) => string>([
  ["timestamp", (log) => log.timestamp],
  ["observed_timestamp", (log) => log.observed_timestamp],
  ["body", (log) => log.body],
  ["body_truncated_bytes", (log) => String(log.body_truncated_bytes)],
  ["service", (log) => log.service],
  ["severity", (log) => severityOf(log.severity_number)],
  ["severity_text", (log) => log.severity_text],
  ["severity_number", (log) => String(log.severity_number)],
  ["event_name", (log) => log.event_name],
  ["trace_id", (log) => log.trace_id],
  ["span_id", (log) => log.span_id],
  ["flags", (log) => String(log.flags)],
  ["scope.name", (log) => log.scope.name],
  ["scope.version", (log) => log.scope.version],
  ["id", (log) => log.id],
]);

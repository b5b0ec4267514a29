import type { Log } from "../api/types";
import { attributeField, resourceField } from "../language/attributeField";

/** A value in the detail panel, with its field's name in queries; null if queries cannot name the field. */
export interface RecordField {
  readonly name: string;
  readonly value: unknown;
  readonly queryField: string | null;
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly RecordField[];
  /** Member of the record that contains the fields; null for fields of the record itself. */
  readonly member: "attributes" | "resource" | null;
}

/** Returns all fields of a record except its body and times. Leaves out empty groups and fields that are not set. */
export function fieldGroups(log: Log): FieldGroup[] {
  const groups: FieldGroup[] = [
    { title: "Attributes", member: "attributes", fields: attributes(log.attributes, attributeField) },
    {
      title: "Trace",
      member: null,
      fields: ownFields({ trace_id: log.trace_id, span_id: log.span_id, flags: log.flags }),
    },
    {
      title: "Resource",
      member: "resource",
      fields: attributes(log.resource, resourceField),
    },
    {
      title: "Record",
      member: null,
      fields: [
        ...ownFields({
          service: log.service,
          severity_text: log.severity_text,
          severity_number: log.severity_number,
          event_name: log.event_name,
          "scope.name": log.scope.name,
          "scope.version": log.scope.version,
        }),
        { name: "id", value: log.id, queryField: null },
      ],
    },
  ];
  return groups.filter(({ fields }) => fields.length > 0);
}

function attributes(
  values: Record<string, unknown>,
  queryFieldOf: (name: string) => string | null,
): RecordField[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, queryField: queryFieldOf(name) }));
}

/** Returns the record's own fields, named as queries name them. A field with 0 or "" is not set. */
function ownFields(values: Record<string, string | number>): RecordField[] {
  return Object.entries(values)
    .filter(([, value]) => value !== "" && value !== 0)
    .map(([name, value]) => ({ name, value, queryField: name }));
}

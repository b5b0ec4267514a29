import type { FieldCount } from "../api/types";

const FIRST = ["severity", "service"];
const SOURCES: readonly FieldCount["source"][] = ["attributes", "resource", "record"];

/**
 * Returns the fields in the order of the list: severity and service, then attributes, the resource's and the record's
 * others, each by falling count as the API gives them. The resource's `service.name` is left out, because `service`
 * has the same values.
 */
export function inListOrder(fields: readonly FieldCount[]): FieldCount[] {
  const rank = (field: FieldCount) =>
    isFirst(field) ? FIRST.indexOf(field.name) : FIRST.length + SOURCES.indexOf(field.source);
  const hasService = fields.some(({ name, source }) => name === "service" && source === "record");
  return fields
    .filter(({ name, source }) => !(hasService && name === "service.name" && source === "resource"))
    .toSorted((one, other) => rank(one) - rank(other));
}

/** Fields of the list that belong together, under a heading. */
export interface FieldGroup {
  readonly heading: string;
  readonly fields: readonly FieldCount[];
}

const HEADINGS: Record<FieldCount["source"], string> = {
  attributes: "Attributes of the log",
  resource: "Resource: what sent the log",
  record: "Other parts of the log",
};

/** Returns fields in the order of the list as groups, without empty groups. */
export function inGroups(fields: readonly FieldCount[]): FieldGroup[] {
  const groups = new Map<string, FieldCount[]>();
  for (const field of fields) {
    const heading = isFirst(field) ? "Severity and service" : HEADINGS[field.source];
    const inside = groups.get(heading);
    if (inside === undefined) groups.set(heading, [field]);
    else inside.push(field);
  }
  return [...groups].map(([heading, inside]) => ({ heading, fields: inside }));
}

function isFirst({ name, source }: FieldCount): boolean {
  return source === "record" && FIRST.includes(name);
}

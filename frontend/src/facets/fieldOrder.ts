import type { FieldCount } from "../api/types";

const FIRST = ["severity", "service"];
const SOURCES: readonly FieldCount["source"][] = ["attributes", "resource", "record"];

/**
 * Returns the fields in the order of the list: severity and service, then attributes, the resource's and the record's
 * others, each by falling count as the API gives them. The resource's `service.name` is left out, because `service`
 * has the same values.
 */
export function inListOrder(fields: readonly FieldCount[]): FieldCount[] {
  const place = ({ name, source }: FieldCount) => {
    const first = source === "record" ? FIRST.indexOf(name) : -1;
    return first >= 0 ? first : FIRST.length + SOURCES.indexOf(source);
  };
  const hasService = fields.some(({ name, source }) => name === "service" && source === "record");
  return fields
    .filter(({ name, source }) => !(hasService && name === "service.name" && source === "resource"))
    .toSorted((one, other) => place(one) - place(other));
}

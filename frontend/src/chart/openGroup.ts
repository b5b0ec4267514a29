import { addFilter, addTerm, readField } from "../language/editQuery";

/** Function that shows the logs of a group: the logs that have the group's values. */
export type OpenGroup = (group: readonly (string | null)[]) => void;

/**
 * Returns the query narrowed to the logs of a group. `fields` are written as in the answer: in quotes where a query needs
 * them. A null value stands for logs without the field.
 */
export function narrowedTo(
  query: string,
  fields: readonly string[],
  group: readonly (string | null)[],
): string {
  return fields.reduce((narrowed, field, place) => {
    const value = group[place] ?? null;
    return value === null
      ? addTerm(narrowed, `-${field}:*`)
      : addFilter(narrowed, readField(field), value, false);
  }, query);
}

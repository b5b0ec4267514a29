import type { AuditEntry } from "../../api/types";

const ACTIONS: Readonly<Record<string, string>> = {
  "tenant.create": "Tenant created",
  "tenant.change": "Limits or retention changed",
  "tenant.move": "Tenant moved",
  "tenant.storage": "Oldest days removed, disk full",
  "tenant.delete": "Tenant deleted",
  "key.create": "Key created",
  "key.label": "Key labelled",
  "key.revoke": "Key revoked",
  "policy.set": "Attribute rule set",
  "policy.remove": "Attribute rule removed",
  "policy.redact": "Redaction set",
  "policy.keep": "Redaction removed",
};

/** Returns a description of an action, or the action itself if it is unknown. */
export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}

/** A value before and after a change; null on the side where it did not exist. */
export interface ValueChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Names of values that say what was changed. They are shown although they have not changed themselves. */
const SUBJECTS: ReadonlySet<string> = new Set(["key"]);

/**
 * Returns the changed values of an entry, in the API's order, and the value that says what was changed. Leaves out
 * values that were created empty.
 */
export function changesOf(entry: Pick<AuditEntry, "before" | "after">): readonly ValueChange[] {
  const names = [...new Set([...Object.keys(entry.before), ...Object.keys(entry.after)])];
  return names
    .map((name) => ({ name, before: textOf(entry.before, name), after: textOf(entry.after, name) }))
    .map((change) =>
      SUBJECTS.has(change.name) && change.after !== null ? { ...change, before: null } : change,
    )
    .filter(({ before, after }) => before !== after && !(before === null && isNothing(after)));
}

const NONE = "none";

function isNothing(text: string | null): boolean {
  return text === NONE || text === "";
}

/** Returns a value as text, times in RFC 3339; null if the entry does not have the value. */
function textOf(values: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(values, name)) return null;
  const value = values[name];
  if (value === null) return NONE;
  if (name.endsWith("_ns") && typeof value === "number") return new Date(value / 1e6).toISOString();
  return typeof value === "string" ? value : JSON.stringify(value);
}

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
  "view.create": "View saved",
  "view.change": "View changed",
  "view.delete": "View deleted",
  "dashboard.create": "Dashboard created",
  "dashboard.change": "Dashboard changed",
  "dashboard.delete": "Dashboard deleted",
  "alert.create": "Alert rule created",
  "alert.change": "Alert rule changed",
  "alert.mute": "Alert rule muted or unmuted",
  "alert.test": "Test notice sent",
  "alert.delete": "Alert rule deleted",
};

/** Returns a description of an action, or the action itself if it is unknown. */
export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}

/** Members of an entry that identify the changed object by its id. */
const IDENTIFIERS: readonly string[] = ["key", "view", "dashboard", "rule"];

/** The object that an entry is about: its id, and its name if the entry has one. */
export interface Subject {
  readonly id: string;
  readonly name: string | null;
}

/** Returns the object that was changed; null if it is the tenant itself or one of its rules. */
export function subjectOf({ before, after }: Pick<AuditEntry, "before" | "after">): Subject | null {
  const values = { ...before, ...after };
  const member = IDENTIFIERS.find((each) => typeof values[each] === "string");
  if (member === undefined) return null;
  const { name } = values;
  return { id: String(values[member]), name: typeof name === "string" && name !== "" ? name : null };
}

/** A value before and after a change; null on the side where it did not exist. */
export interface ValueChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Returns the changed values of an entry, in the API's order. Leaves out the id of the changed object, and values that
 * were created empty.
 */
export function changesOf(entry: Pick<AuditEntry, "before" | "after">): readonly ValueChange[] {
  const names = [...new Set([...Object.keys(entry.before), ...Object.keys(entry.after)])];
  return names
    .filter((name) => !IDENTIFIERS.includes(name))
    .map((name) => ({ name, before: textOf(entry.before, name), after: textOf(entry.after, name) }))
    .filter(({ before, after }) => before !== after && !(before === null && isNothing(after)));
}

const NONE = "none";

function isNothing(text: string | null): boolean {
  return text === NONE || text === "" || text === "[]";
}

/** Returns a value as text, times in RFC 3339; null if the entry does not have the value. */
function textOf(values: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(values, name)) return null;
  const value = values[name];
  if (value === null) return NONE;
  if (name.endsWith("_ns") && typeof value === "number") return new Date(value / 1e6).toISOString();
  return typeof value === "string" ? value : JSON.stringify(value);
}

import type { AdminKey } from "../../api/types";

export type KeyState = "works" | "expires soon" | "expired" | "revoked";

const DAY_MS = 86_400_000;

/** Milliseconds before its expiry in which a key needs attention. */
const SOON_MS = 14 * DAY_MS;

/** Returns the state of a key at a time in milliseconds since 1970. */
export function keyState(key: Pick<AdminKey, "revoked_at" | "expires_at">, nowMs: number): KeyState {
  if (key.revoked_at !== null) return "revoked";
  if (key.expires_at === null) return "works";
  const left = Date.parse(key.expires_at) - nowMs;
  if (left <= 0) return "expired";
  return left < SOON_MS ? "expires soon" : "works";
}

export function isUsable(state: KeyState): boolean {
  return state === "works" || state === "expires soon";
}

/** Returns keys that work, newest first, and after them the others, newest first. */
export function inOrder(keys: readonly AdminKey[], nowMs: number): readonly AdminKey[] {
  const rank = (key: AdminKey) => (isUsable(keyState(key, nowMs)) ? 0 : 1);
  return keys.toSorted(
    (one, other) => rank(one) - rank(other) || Date.parse(other.created_at) - Date.parse(one.created_at),
  );
}

/** Choices for the life of a new key: days, or "" for no end. */
export const LIVES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

/** Returns the time, in RFC 3339, at which a key of so many days ends; null for no days. */
export function expiryOf(days: string, nowMs: number): string | null {
  return days === "" ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString();
}

/** Returns the id in a key's text, so that the page knows which of the listed keys it uses itself. */
export function idOf(keyText: string | null): string | null {
  const words = (keyText ?? "").split("_");
  return words.length === 4 && words[0] === "ls" ? (words[2] ?? null) : null;
}

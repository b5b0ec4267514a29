import type { AdminKey } from "../../api/types";

export type KeyState = "works" | "expires soon" | "expired" | "revoked";

const DAY_MS = 86_400_000;

/** Milliseconds before its expiry from which a key is marked as expiring soon. */
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

/** Returns the keys sorted: working ones first, then the others, each newest first. */
export function inOrder(keys: readonly AdminKey[], nowMs: number): readonly AdminKey[] {
  const rank = (key: AdminKey) => (isUsable(keyState(key, nowMs)) ? 0 : 1);
  return keys.toSorted(
    (one, other) => rank(one) - rank(other) || Date.parse(other.created_at) - Date.parse(one.created_at),
  );
}

/** Choices for the lifetime of a new key: days, or "" for no expiry. */
export const LIVES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

/** Returns the time, in RFC 3339, at which a key with a lifetime of this many days expires; null for no expiry. */
export function expiryOf(days: string, nowMs: number): string | null {
  return days === "" ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString();
}

/** Returns the id in a key's text, with which the page finds its own keys in the list. */
export function idOf(keyText: string | null): string | null {
  const words = (keyText ?? "").split("_");
  return words.length === 4 && words[0] === "ls" ? (words[2] ?? null) : null;
}

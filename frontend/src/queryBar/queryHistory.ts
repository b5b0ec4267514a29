import { lastingStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.query-history";
/** Name of the tenant that the stored queries were run on. */
const TENANT_KEY = "logsieve.query-history-tenant";
const LONGEST = 50;

/** Queries that were run in this browser, newest first. */
export function readHistory(): string[] {
  try {
    const stored: unknown = JSON.parse(lastingStorage.get(STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}

export function rememberQuery(query: string): void {
  if (query.trim() === "") return;
  const others = readHistory().filter((earlier) => earlier !== query);
  lastingStorage.set(STORAGE_KEY, JSON.stringify([query, ...others].slice(0, LONGEST)));
}

/** Forgets all queries, so that the next user of this browser does not see them. */
export function forgetHistory(): void {
  lastingStorage.remove(STORAGE_KEY);
}

/** Forgets the queries if they were run on another tenant, and remembers that further ones are run on this tenant. */
export function keepHistoryOf(tenant: string): void {
  const owner = lastingStorage.get(TENANT_KEY);
  if (owner !== null && owner !== tenant) forgetHistory();
  lastingStorage.set(TENANT_KEY, tenant);
}

/** Returns the query that was run before this one, or the newest if this one is unknown or empty; null at the end. */
export function earlierQuery(current: string, history: readonly string[]): string | null {
  return history[history.indexOf(current) + 1] ?? null;
}

/** Returns the query that was run after this one; "" after the newest, null if this one is not in the history. */
export function laterQuery(current: string, history: readonly string[]): string | null {
  const index = history.indexOf(current);
  if (index < 0) return null;
  return history[index - 1] ?? "";
}

import { trimQuery } from "../language/tokenize";
import { lastingStorage } from "../preferences/browserStorage";
import { pageOwner } from "./pageOwner";

const STORAGE_KEY = "logsieve.query-history";
const LONGEST = 50;

/** Queries that were run in this browser on the tenant of this tab, newest first. */
export function readHistory(): string[] {
  const queries = readAll().get(pageOwner.read());
  return Array.isArray(queries) ? queries.filter((item) => typeof item === "string") : [];
}

export function rememberQuery(query: string): void {
  if (trimQuery(query) === "") return;
  const others = readHistory().filter((earlier) => earlier !== query);
  store(readAll().set(pageOwner.read(), [query, ...others].slice(0, LONGEST)));
}

/** Forgets all queries, so that the next user of this browser does not see them. */
export function forgetHistory(): void {
  lastingStorage.remove(STORAGE_KEY);
}

/** Forgets the queries that were run on this tenant. */
export function forgetHistoryOf(tenant: string): void {
  const all = readAll();
  if (all.delete(tenant)) store(all);
}

function store(all: Map<unknown, unknown>): void {
  lastingStorage.set(STORAGE_KEY, JSON.stringify([...all]));
}

/** Returns the stored queries by tenant. Queries of which no tenant is known, as earlier versions stored them, are dropped. */
function readAll(): Map<unknown, unknown> {
  try {
    return new Map(JSON.parse(lastingStorage.get(STORAGE_KEY) ?? "[]"));
  } catch {
    return new Map();
  }
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

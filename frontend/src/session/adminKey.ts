import { useSyncExternalStore } from "react";
import { tabStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.admin-key";

/** First part of the cache keys of all queries that send the admin key. */
export const ADMIN_QUERIES = "admin";

const listeners = new Set<() => void>();

/**
 * Storage of the admin key until the tab closes. It is never kept longer, because it can create keys of all purposes.
 */
export const adminKey = {
  read(): string | null {
    return tabStorage.get(STORAGE_KEY);
  },
  keep(key: string): void {
    tabStorage.set(STORAGE_KEY, key);
    for (const listener of listeners) listener();
  },
  forget(): void {
    tabStorage.remove(STORAGE_KEY);
    for (const listener of listeners) listener();
  },
};

/** Returns the admin key of this tab, or null if there is none. */
export function useAdminKey(): string | null {
  return useSyncExternalStore(subscribe, adminKey.read);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

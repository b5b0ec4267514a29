const KEY = "logsieve.query-key";
const TENANT = "logsieve.tenant";

/**
 * Storage of the query key and of its tenant's name: until the tab closes or, if the user chose to be remembered, until
 * sign-out.
 */
export const keyStorage = {
  read(): string | null {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  },
  /** Returns the name of the stored key's tenant, or null if the key has not been checked in this browser. */
  readTenant(): string | null {
    return storageOfKey().getItem(TENANT);
  },
  keep(key: string, remember: boolean): void {
    keyStorage.forget();
    (remember ? localStorage : sessionStorage).setItem(KEY, key);
  },
  keepTenant(name: string): void {
    storageOfKey().setItem(TENANT, name);
  },
  forget(): void {
    for (const storage of [sessionStorage, localStorage]) {
      storage.removeItem(KEY);
      storage.removeItem(TENANT);
    }
  },
};

function storageOfKey(): Storage {
  return sessionStorage.getItem(KEY) === null ? localStorage : sessionStorage;
}

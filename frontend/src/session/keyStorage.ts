import { type BrowserStorage, lastingStorage, tabStorage } from "../preferences/browserStorage";

const KEY = "logsieve.query-key";
const TENANT = "logsieve.tenant";

/**
 * Storage of the query key and of its tenant's name: until the tab closes or, if the user chose to be remembered, until
 * sign-out.
 */
export const keyStorage = {
  read(): string | null {
    return tabStorage.get(KEY) ?? lastingStorage.get(KEY);
  },
  /** Returns the name of the stored key's tenant, or null if the key has not been checked in this browser. */
  readTenant(): string | null {
    return storageOfKey().get(TENANT);
  },
  keep(key: string, remember: boolean): void {
    keyStorage.forget();
    (remember ? lastingStorage : tabStorage).set(KEY, key);
  },
  /** Stores the name of this key's tenant. Another tab may have stored another key since, whose tenant may differ. */
  keepTenant(key: string, name: string): void {
    const storage = storageOfKey();
    if (storage.get(KEY) === key) storage.set(TENANT, name);
  },
  /** Removes this key from the tab, so that loading the page again does not sign in. A remembered key stays. */
  forgetInTab(key: string): void {
    forgetIn(tabStorage, key);
  },
  /** Removes this key, or any key if none is given. Another tab may have stored a newer key, which stays. */
  forget(key?: string): void {
    for (const storage of [tabStorage, lastingStorage]) forgetIn(storage, key);
  },
};

function forgetIn(storage: BrowserStorage, key: string | undefined): void {
  if (key !== undefined && storage.get(KEY) !== key) return;
  storage.remove(KEY);
  storage.remove(TENANT);
}

function storageOfKey(): BrowserStorage {
  return tabStorage.get(KEY) === null ? lastingStorage : tabStorage;
}

/** Calls back with each key that another tab remembers. Returns the function that ends this. */
export function onKeyStored(callBack: (queryKey: string) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && newValue !== null) callBack(newValue);
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

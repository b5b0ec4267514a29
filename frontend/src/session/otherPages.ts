import { lastingStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.signed-out";

/** Tells the other pages of this browser that the user of this key has signed out. */
export function tellOtherPages(queryKey: string): void {
  // Each change of the storage is an event in all other pages, in a page that the browser has set aside as soon as it is
  // shown again. The key is removed at once, because the user may not have chosen to be remembered.
  lastingStorage.set(STORAGE_KEY, queryKey);
  lastingStorage.remove(STORAGE_KEY);
}

/** Calls back with the key of a user who signs out in another page. Returns the function that ends this. */
export function onSignOutElsewhere(callBack: (queryKey: string) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === STORAGE_KEY && newValue !== null) callBack(newValue);
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

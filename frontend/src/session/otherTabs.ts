import { lastingStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.signed-out";

/** Tells the other tabs of this browser that the user has signed out. */
export function tellOtherTabs(): void {
  // Each change of the storage is an event in all other tabs.
  lastingStorage.set(STORAGE_KEY, "1");
  lastingStorage.remove(STORAGE_KEY);
}

/** Calls back when the user signs out in another tab. Returns the function that ends this. */
export function onSignOutElsewhere(callBack: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === STORAGE_KEY && newValue !== null) callBack();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

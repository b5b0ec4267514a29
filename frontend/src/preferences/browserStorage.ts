/** Storage of texts by name. Its functions never fail. */
export interface BrowserStorage {
  readonly get: (name: string) => string | null;
  readonly set: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
}

/** Keeps texts until they are removed. */
export const lastingStorage = withMemory(() => localStorage);

/** Keeps texts until the tab is closed. */
export const tabStorage = withMemory(() => sessionStorage);

/**
 * Returns a storage that keeps a text in memory, until the page is loaded again, if the browser refuses to store it. A
 * browser refuses texts if its storage is full. It refuses all access if the user has blocked data of this site.
 */
function withMemory(storage: () => Storage): BrowserStorage {
  const refused = new Map<string, string>();
  return {
    get: (name) => {
      try {
        return refused.get(name) ?? storage().getItem(name);
      } catch {
        return null;
      }
    },
    set: (name, text) => {
      try {
        storage().setItem(name, text);
        refused.delete(name);
      } catch {
        refused.set(name, text);
      }
    },
    remove: (name) => {
      refused.delete(name);
      try {
        storage().removeItem(name);
      } catch {
        // Storage that cannot be accessed has no text to remove.
      }
    },
  };
}

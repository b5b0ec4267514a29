const KEY = "logsieve.query-key";

/** Storage of the query key: until the tab closes or, if the user chose to be remembered, until sign-out. */
export const keyStorage = {
  read(): string | null {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  },
  keep(key: string, remember: boolean): void {
    keyStorage.forget();
    (remember ? localStorage : sessionStorage).setItem(KEY, key);
  },
  forget(): void {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
  },
};

const KEY = "logsieve.query-key";

/** Where a query key is kept: until the tab closes, or, remembered, until sign-out. */
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

const KEY = "logsieve.query-key";
const SIGNED_OUT = "logsieve.signed-out";

/** Where a typed-in query key is kept: until the tab closes, or, remembered, until sign-out. */
export const keyStorage = {
  read(): string | null {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  },
  keep(key: string, remember: boolean): void {
    keyStorage.forget();
    (remember ? localStorage : sessionStorage).setItem(KEY, key);
    sessionStorage.removeItem(SIGNED_OUT);
  },
  forget(): void {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
  },
  /** Somebody who signed out is not signed in again by the server's own offer. */
  markSignedOut(): void {
    keyStorage.forget();
    sessionStorage.setItem(SIGNED_OUT, "1");
  },
  isSignedOut(): boolean {
    return sessionStorage.getItem(SIGNED_OUT) !== null;
  },
};

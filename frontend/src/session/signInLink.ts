const TOKEN = /^#sign-in=([0-9a-f]+)$/;

/** The token of the sign-in link in the page's address; null without one. */
export function readSignInToken(): string | null {
  return TOKEN.exec(location.hash)?.[1] ?? null;
}

/** Removes the token from the address after it was answered, because it works only once. */
export function forgetSignInToken(): void {
  history.replaceState(history.state, "", location.pathname + location.search);
}

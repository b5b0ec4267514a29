const TOKEN = /^#sign-in=([0-9a-f]+)$/;

/** Returns the token of the sign-in link in the page's address, or null if there is none. */
export function readSignInToken(): string | null {
  return TOKEN.exec(location.hash)?.[1] ?? null;
}

/** Removes the token from the address after the server answered it, because a token works only once. */
export function forgetSignInToken(): void {
  history.replaceState(history.state, "", location.pathname + location.search);
}

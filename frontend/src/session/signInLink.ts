const TOKEN = /^#sign-in=([0-9a-f]+)$/;

/** The token of the sign-in link in the page's address; null without one. */
export function readSignInToken(): string | null {
  return TOKEN.exec(location.hash)?.[1] ?? null;
}

/** Takes the token out of the address, once it was answered: it is good for nothing more. */
export function forgetSignInToken(): void {
  history.replaceState(history.state, "", location.pathname + location.search);
}

import { ApiProblem } from "./problem";

/** Text of any key that the API may have issued. Browsers send no request whose header has characters outside Latin-1. */
const KEY_TEXT = /^[!-~]+$/;

/** Throws the problem of an unknown key for a text that cannot be a key, such as one with dots in place of its secret. */
export function requireKeyText(key: string): void {
  if (!KEY_TEXT.test(key)) throw new ApiProblem(401, "unauthenticated", "the key is unknown");
}

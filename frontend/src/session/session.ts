import { createLogsApi } from "../api/client";
import { requireKeyText } from "../api/keyText";
import { ApiProblem, asProblem } from "../api/problem";
import { adminKey } from "./adminKey";
import { keyStorage } from "./keyStorage";
import { forgetSignInToken, readSignInToken } from "./signInLink";

export interface SignedIn {
  readonly kind: "signed-in";
  readonly tenant: string;
  readonly queryKey: string;
}

export interface SignedOut {
  readonly kind: "signed-out";
  /** The reason as a sentence; null if there was no error. */
  readonly reason: string | null;
}

export type Session = SignedIn | SignedOut;

export const SESSION_KEY = ["session"] as const;
export const KEY_REFUSED = "The query key was revoked or has expired. Paste another query key of the tenant.";
const NO_ANSWER =
  "Logsieve has not answered for 10 seconds: check your network and the server, then try again";
const LINK_REFUSED =
  "This sign-in link was used before or has expired. For tenant demo, `logsieve ui` prints a new one. For any tenant, paste a query key.";

/** Milliseconds after which a request that signs in counts as unanswered. */
const ANSWER_MS = 10_000;

/** Finds out who is signed in when the page opens: by its sign-in link, otherwise by the stored key. */
export async function openSession(): Promise<Session> {
  let reason: string | null = null;
  const token = readSignInToken();
  if (token !== null) {
    try {
      return await inTime(signInByLink(token));
    } catch (error) {
      if (!asProblem(error).isUnauthorized) throw error;
      forgetSignInToken();
      reason = LINK_REFUSED;
    }
  }
  const kept = keyStorage.read();
  if (kept !== null) {
    try {
      const session = await checkKey(kept);
      keyStorage.keepTenant(kept, session.tenant);
      return session;
    } catch (error) {
      if (!asProblem(error).isUnauthorized) throw error;
      keyStorage.forget(kept);
      adminKey.forget();
      // Another tab may have signed in with a newer key.
      const stored = keyStorage.read();
      if (stored !== null && stored !== kept) return openSession();
      reason ??= KEY_REFUSED;
    }
  }
  return { kind: "signed-out", reason };
}

/**
 * Returns the session of the stored key before the API has checked the key, if the key was checked in this browser
 * before. The search page can then be shown, and search, at once.
 */
export function rememberedSession(): SignedIn | undefined {
  const [queryKey, tenant] = [keyStorage.read(), keyStorage.readTenant()];
  if (queryKey === null || tenant === null || readSignInToken() !== null) return undefined;
  return { kind: "signed-in", tenant, queryKey };
}

async function signInByLink(token: string): Promise<SignedIn> {
  const { tenant, query_key: queryKey } = await createLogsApi(null).uiSession(token);
  keyStorage.keep(queryKey, true);
  adminKey.forget();
  forgetSignInToken();
  return { kind: "signed-in", tenant, queryKey };
}

/** Signs in with this key. Rejects with the API's problem if it is not a valid query key. */
export async function checkKey(queryKey: string): Promise<SignedIn> {
  requireKeyText(queryKey);
  const tenant = await inTime(createLogsApi(queryKey).tenant());
  return { kind: "signed-in", tenant: tenant.name, queryKey };
}

/** Rejects if the request takes longer than ANSWER_MS. The request goes on, so that a late answer to a link keeps its key. */
function inTime<Answer>(request: Promise<Answer>): Promise<Answer> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new ApiProblem(0, "no_answer", NO_ANSWER)), ANSWER_MS);
  });
  return Promise.race([request, late]);
}

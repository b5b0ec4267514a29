import { createLogsApi } from "../api/client";
import { asProblem } from "../api/problem";
import { keyStorage } from "./keyStorage";

/** A tenant that the server signs everybody in to without asking (the demo stack does). */
export interface Offer {
  readonly tenant: string;
  readonly queryKey: string;
}

export interface SignedIn {
  readonly kind: "signed-in";
  readonly tenant: string;
  readonly queryKey: string;
}

export interface SignedOut {
  readonly kind: "signed-out";
  /** Why, as a sentence; null when nothing went wrong. */
  readonly reason: string | null;
  readonly offer: Offer | null;
}

export type Session = SignedIn | SignedOut;

export const SESSION_KEY = ["session"] as const;
export const KEY_REFUSED = "The query key is no longer accepted. Sign in again.";

/** Finds out who is signed in when the page opens: the kept key first, then the server's offer. */
export async function openSession(): Promise<Session> {
  let reason: string | null = null;
  const kept = keyStorage.read();
  if (kept !== null) {
    try {
      return await checkKey(kept);
    } catch (error) {
      if (!asProblem(error).isUnauthorized) throw error;
      keyStorage.forget();
      reason = KEY_REFUSED;
    }
  }
  const offer = await readOffer();
  if (offer === null || reason !== null || keyStorage.isSignedOut())
    return { kind: "signed-out", reason, offer };
  return { kind: "signed-in", ...offer };
}

/** Signs in with this key; rejects with the API's problem when it is not a query key of any tenant. */
export async function checkKey(queryKey: string): Promise<SignedIn> {
  const tenant = await createLogsApi(queryKey).tenant();
  return { kind: "signed-in", tenant: tenant.name, queryKey };
}

async function readOffer(): Promise<Offer | null> {
  const session = await createLogsApi(null).uiSession();
  if (session.tenant === null || session.query_key === null) return null;
  return { tenant: session.tenant, queryKey: session.query_key };
}

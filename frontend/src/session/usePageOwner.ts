import { useEffectEvent, useLayoutEffect, useState } from "react";
import { tabStorage } from "../preferences/browserStorage";
import { keepHistoryOf } from "../queryBar/queryHistory";
import type { Session } from "./session";

/** Name of the tenant whose page the tab shows, also after it is loaded again. */
const OWNER = "logsieve.page-owner";

/**
 * Calls back when the page must forget what its last user did: after a sign-out, and before it shows another tenant.
 * Returns true until that is done. A user whose key was refused finds the page as it was after signing in to the same
 * tenant again. Also forgets the queries of another tenant.
 */
export function usePageOwner(session: Session | undefined, onLeave: () => void): boolean {
  const [owner, setOwner] = useState(() => tabStorage.get(OWNER));
  const tenant = session?.kind === "signed-in" ? session.tenant : null;
  const isSignedOut = session?.kind === "signed-out" && session.reason === null;
  const isLeaving = owner !== null && (tenant === null ? isSignedOut : tenant !== owner);
  const leave = useEffectEvent(onLeave);
  // A layout effect, so that the page of the last user is replaced before the browser draws it for the next one.
  useLayoutEffect(() => {
    if (tenant !== null) keepHistoryOf(tenant);
    if (isLeaving) leave();
    if (!isLeaving && tenant === null) return;
    setOwner(tenant);
    if (tenant === null) tabStorage.remove(OWNER);
    else tabStorage.set(OWNER, tenant);
  }, [isLeaving, tenant]);
  return isLeaving;
}

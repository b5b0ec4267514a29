import { useEffectEvent, useLayoutEffect, useState } from "react";
import { pageOwner } from "./pageOwner";
import { forgetHistoryOf } from "./queryHistory";
import type { Session } from "./session";

/**
 * Calls back when the page must forget what its last user did: after a sign-out, and before it shows another tenant.
 * Returns true until that is done. A user whose key was refused finds the page as it was after signing in to the same
 * tenant again. Also forgets the queries of the user who leaves.
 */
export function usePageOwner(session: Session | undefined, onLeave: () => void): boolean {
  const [owner, setOwner] = useState(() => pageOwner.read());
  const tenant = session?.kind === "signed-in" ? session.tenant : null;
  const isSignedOut = session?.kind === "signed-out" && session.reason === null;
  const isLeaving = owner !== null && (tenant === null ? isSignedOut : tenant !== owner);
  const leave = useEffectEvent(onLeave);
  // A layout effect, so that the page of the last user is replaced before the browser draws it for the next one.
  useLayoutEffect(() => {
    if (isLeaving) {
      forgetHistoryOf(owner);
      leave();
    }
    if (!isLeaving && tenant === null) return;
    setOwner(tenant);
    pageOwner.keep(tenant);
  }, [isLeaving, owner, tenant]);
  return isLeaving;
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { asProblem } from "../api/problem";
import { Failure } from "../ui/Failure";
import { endSession, forgetAnswers } from "./endSession";
import { keyStorage } from "./keyStorage";
import { onSignOutElsewhere } from "./otherPages";
import { SessionProvider } from "./SessionContext";
import styles from "./SessionGate.module.css";
import type { Session, SignedIn } from "./session";
import { openSession, rememberedSession, SESSION_KEY } from "./session";
import { readSignInToken } from "./signInLink";
import { useNewKey } from "./useNewKey";
import { usePageOwner } from "./usePageOwner";

// Loaded when they are first shown, because most visits begin signed in. A server that was updated since has other files.
const SignInPage = lazy(() => import("./SignInPage").catch(() => ({ default: NotLoaded })));
const loadSignInAgain = () => import("./SignInAgain");
const SignInAgain = lazy(() => loadSignInAgain().catch(() => ({ default: NotLoaded })));

/** Milliseconds between two checks of a key that was checked in an earlier visit, while the checks fail. */
const RECHECK_MS = 10_000;

interface SessionGateProps {
  /** Called when the page must forget the address of its last user. */
  readonly onLeave: () => void;
  readonly children: React.ReactNode;
}

/** Shows the page to signed-in users, and the sign-in form to all others. */
export function SessionGate({ onLeave, children }: SessionGateProps) {
  const queryClient = useQueryClient();
  // A sign-in link that is opened in this page's own tab changes only the address.
  useEffect(() => {
    const signIn = () => {
      if (readSignInToken() !== null) void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
    };
    window.addEventListener("hashchange", signIn);
    return () => window.removeEventListener("hashchange", signIn);
  }, [queryClient]);
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: openSession,
    placeholderData: rememberedSession,
    refetchInterval: ({ state }) =>
      state.status === "error" && rememberedSession() !== undefined && RECHECK_MS,
  });
  const shown = useShownSession(session.data);
  const queryKey = shown?.queryKey ?? null;
  useEffect(
    () =>
      onSignOutElsewhere((signedOut) => {
        // A tab that has another key stays signed in.
        if (signedOut !== queryKey) return;
        // An earlier page of the tab may still find the key, because Chromium lets each process remember the tab's storage.
        keyStorage.forgetInTab(signedOut);
        void queryClient.cancelQueries({ queryKey: SESSION_KEY });
        endSession(queryClient, null);
      }),
    [queryClient, queryKey],
  );
  const isLeaving = usePageOwner(session.data, onLeave);
  const isGone = isLeaving || shown === null;
  useEffect(() => {
    if (isGone) forgetAnswers(queryClient);
  }, [isGone, queryClient]);
  useNewKey(shown);
  useFormForTypedText();
  if (isLeaving) return <div className={styles.waiting} aria-busy="true" />;
  if (shown !== null) {
    return (
      <SessionProvider key={shown.tenant} session={shown}>
        {children}
        {session.data?.kind === "signed-out" && (
          <Suspense fallback={<div className={styles.cover} />}>
            <SignInAgain session={session.data} tenant={shown.tenant} />
          </Suspense>
        )}
      </SessionProvider>
    );
  }
  if (session.isPending) {
    return (
      <main className={styles.page} aria-busy="true">
        <p className={styles.late} role="status">
          Waiting for an answer from Logsieve…
        </p>
      </main>
    );
  }
  if (session.isError) {
    return (
      <main className={styles.page}>
        <Failure problem={asProblem(session.error)} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  return (
    <Suspense fallback={<div className={styles.waiting} aria-busy="true" />}>
      {session.data.kind === "signed-out" && <SignInPage session={session.data} />}
    </Suspense>
  );
}

/** Shown instead of a form to sign in that the server no longer has. */
function NotLoaded() {
  return (
    <main className={styles.cover}>
      <p role="alert">The form to sign in could not be loaded. Load the page again to sign in.</p>
    </main>
  );
}

/** Loads the form to sign in again when the user first types, because a later server no longer has this page's files. */
function useFormForTypedText() {
  useEffect(() => {
    const load = () => void loadSignInAgain().catch(() => undefined);
    document.addEventListener("input", load, { once: true });
    return () => document.removeEventListener("input", load);
  }, []);
}

/**
 * Returns the session whose page is shown; null if none is. The page of a refused key stays behind the form to sign in
 * again, because it may have text that is not saved. The page of a user who has signed out does not.
 */
function useShownSession(session: Session | undefined): SignedIn | null {
  const [last, setLast] = useState<SignedIn | null>(null);
  const shown = shownSession(session, last);
  if (shown !== last) setLast(shown);
  return shown;
}

function shownSession(session: Session | undefined, last: SignedIn | null): SignedIn | null {
  if (session?.kind === "signed-in") return session;
  return session?.kind === "signed-out" && session.reason === null ? null : last;
}

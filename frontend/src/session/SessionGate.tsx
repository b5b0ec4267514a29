import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { asProblem } from "../api/problem";
import { Failure } from "../ui/Failure";
import { endSession, forgetAnswers } from "./endSession";
import { keyStorage } from "./keyStorage";
import { onSignOutElsewhere } from "./otherPages";
import { SessionProvider } from "./SessionContext";
import { SignInPage } from "./SignInPage";
import styles from "./SignInPage.module.css";
import { openSession, rememberedSession, SESSION_KEY } from "./session";
import { readSignInToken } from "./signInLink";
import { usePageOwner } from "./usePageOwner";

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
  });
  const queryKey = session.data?.kind === "signed-in" ? session.data.queryKey : null;
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
  const isSignedOut = session.data?.kind === "signed-out";
  useEffect(() => {
    if (isSignedOut) forgetAnswers(queryClient);
  }, [isSignedOut, queryClient]);
  if (session.isPending || isLeaving) return <div className={styles.waiting} aria-busy="true" />;
  if (session.isError) {
    return (
      <main className={styles.page}>
        <Failure problem={asProblem(session.error)} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data.kind === "signed-out") return <SignInPage session={session.data} />;
  return (
    <SessionProvider key={session.data.queryKey} session={session.data}>
      {children}
    </SessionProvider>
  );
}

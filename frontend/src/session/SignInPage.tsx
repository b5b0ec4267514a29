import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect } from "react";
import type { ApiProblem } from "../api/problem";
import { asProblem, sentence } from "../api/problem";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Logo } from "../ui/Logo";
import { keyStorage } from "./keyStorage";
import gate from "./SessionGate.module.css";
import styles from "./SignInPage.module.css";
import type { SignedIn, SignedOut } from "./session";
import { checkKey, SESSION_KEY } from "./session";

interface Credentials {
  readonly queryKey: string;
  readonly remember: boolean;
}

interface SignInFormProps {
  readonly session: SignedOut;
  /** Further text above the field. */
  readonly children?: React.ReactNode;
}

/** Page that asks for a key. */
export default function SignInPage({ session }: { session: SignedOut }) {
  return (
    <main className={gate.page}>
      <SignInForm session={session} />
    </main>
  );
}

/** Form for a key. Stores a valid key, and signs in with it. */
export function SignInForm({ session, children }: SignInFormProps) {
  const queryClient = useQueryClient();
  const signIn = useMutation({
    mutationFn: ({ queryKey }: Credentials) => checkKey(queryKey),
    onSuccess: (signedIn: SignedIn, { queryKey, remember }) => {
      keyStorage.keep(queryKey, remember);
      queryClient.setQueryData(SESSION_KEY, signedIn);
    },
  });
  // The title of the tab would otherwise still name the last search.
  useEffect(() => {
    document.title = "Sign in · Logsieve";
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const queryKey = String(form.get("key") ?? "").trim();
    if (queryKey !== "") signIn.mutate({ queryKey, remember: form.get("remember") !== null });
  };
  const message = signIn.isError ? refusal(asProblem(signIn.error)) : session.reason;
  return (
    <form className={styles.card} onSubmit={submit} data-testid={testIds.signIn}>
      <Logo size={30} />
      <h1 className={styles.title}>Sign in to Logsieve</h1>
      <p className={styles.lead}>Paste a query key of your tenant. The key is kept in this browser only.</p>
      {message !== null && (
        <p className={styles.message} role="alert" data-testid={testIds.error}>
          {message}
        </p>
      )}
      {children}
      <label className={styles.label}>
        Query key
        <input
          className={styles.input}
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          data-testid={testIds.signInKey}
        />
      </label>
      <p className={styles.hint}>
        An operator creates a key with <code>logsieve key create TENANT query</code>. To open tenant demo of{" "}
        <code>logsieve up</code> without a key, use the link that <code>logsieve ui</code> prints.
      </p>
      <label className={styles.remember}>
        <input type="checkbox" name="remember" data-testid={testIds.signInRemember} />
        Remember on this computer
      </label>
      <Button
        type="submit"
        tone="primary"
        size="large"
        disabled={signIn.isPending}
        data-testid={testIds.signInSubmit}
      >
        {signIn.isPending ? "Checking…" : "Sign in"}
      </Button>
    </form>
  );
}

function refusal(problem: ApiProblem): string {
  if (problem.isUnauthorized)
    return "This key is unknown, or it was revoked or has expired. Check that you copied all of it. An operator creates a new one with `logsieve key create TENANT query`.";
  if (problem.status === 403)
    return "This is not a query key, so it cannot read logs. An operator creates one with `logsieve key create TENANT query`.";
  return sentence(problem.message);
}

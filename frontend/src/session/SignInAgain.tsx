import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { useEffect, useState } from "react";
import { useReturnFocus } from "../ui/dialog/useReturnFocus";
import { keyStorage, onKeyStored } from "./keyStorage";
import gate from "./SessionGate.module.css";
import { SignInForm } from "./SignInPage";
import styles from "./SignInPage.module.css";
import { checkKey, SESSION_KEY, type Session, type SignedOut } from "./session";

interface SignInAgainProps {
  readonly session: SignedOut;
  /** Name of the tenant whose page stays behind the form. */
  readonly tenant: string;
}

/**
 * Covers the page of a refused key, with the dialogs that are open in it, by the form to sign in. A key of the same
 * tenant uncovers the page, also if another tab of this browser has stored it or stores it meanwhile.
 */
export default function SignInAgain({ session, tenant }: SignInAgainProps) {
  const queryClient = useQueryClient();
  const returnFocus = useReturnFocus();
  // In full screen, the browser shows only the element that fills it.
  const [container] = useState(() => document.fullscreenElement);
  const [title] = useState(() => document.title);
  useEffect(
    () => () => {
      const next = queryClient.getQueryData<Session>(SESSION_KEY);
      // The title names the last search, which a user of another tenant must not see.
      if (next?.kind === "signed-in" && next.tenant === tenant) document.title = title;
    },
    [queryClient, tenant, title],
  );
  useEffect(() => {
    let isCovered = true;
    const goOn = async (queryKey: string) => {
      const found = await checkKey(queryKey).catch(() => null);
      // The user may have signed in here, or signed out in the other tab, before the answer.
      if (!isCovered || found?.tenant !== tenant || keyStorage.read() !== queryKey) return;
      queryClient.setQueryData(SESSION_KEY, found);
    };
    const stored = keyStorage.read();
    if (stored !== null) void goOn(stored);
    const stop = onKeyStored(goOn);
    return () => {
      isCovered = false;
      stop();
    };
  }, [queryClient, tenant]);
  return (
    <Dialog.Root open>
      <Dialog.Portal container={container}>
        <Dialog.Content className={gate.cover} aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Dialog.Title className="visually-hidden">Sign in again</Dialog.Title>
          <SignInForm session={session}>
            <p className={styles.hint}>
              The page stays open behind this form, with the text that you have typed. To go on, sign in to
              tenant {tenant}, here or in another tab. In another tab, use a sign-in link, or choose “Remember
              on this computer”.
            </p>
          </SignInForm>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { useEffect, useState } from "react";
import { useReturnFocus } from "../layout/useReturnFocus";
import { onKeyStored } from "./keyStorage";
import gate from "./SessionGate.module.css";
import { SignInForm } from "./SignInPage";
import styles from "./SignInPage.module.css";
import { checkKey, SESSION_KEY, type SignedOut } from "./session";

interface SignInAgainProps {
  readonly session: SignedOut;
  /** Name of the tenant whose page stays behind the form. */
  readonly tenant: string;
}

/**
 * Covers the page of a refused key, with the dialogs that are open in it, by the form to sign in. A key of the same
 * tenant uncovers the page, also if another tab of this browser has stored it.
 */
export default function SignInAgain({ session, tenant }: SignInAgainProps) {
  const queryClient = useQueryClient();
  const returnFocus = useReturnFocus();
  // In full screen, the browser shows only the element that fills it.
  const [container] = useState(() => document.fullscreenElement);
  useEffect(
    () =>
      onKeyStored(async (queryKey) => {
        const found = await checkKey(queryKey).catch(() => null);
        if (found?.tenant === tenant) queryClient.setQueryData(SESSION_KEY, found);
      }),
    [queryClient, tenant],
  );
  return (
    <Dialog.Root open>
      <Dialog.Portal container={container}>
        <Dialog.Content className={gate.cover} aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Dialog.Title className="visually-hidden">Sign in again</Dialog.Title>
          <SignInForm session={session}>
            <p className={styles.hint}>
              The page stays open behind this form, with the text that you have typed. To go on, sign in to
              tenant {tenant}, here or in another tab.
            </p>
          </SignInForm>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

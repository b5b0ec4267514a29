import { useBlocker, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useLayoutEffect, useState } from "react";
import { testIds } from "../../testIds";
import { ConfirmDialog } from "./ConfirmDialog";
import { ModalDialog } from "./ModalDialog";

interface EditDialogProps extends Omit<React.ComponentProps<typeof ModalDialog>, "children"> {
  /** Noun of the edited object, such as "view". */
  readonly object: string;
  /** True while the form is being saved. Only its own button then closes the dialog. */
  readonly isSaving: boolean;
  /**
   * Set to true while the user is asked whether to leave for another page, which opens when the dialog closes. A form that
   * is saved meanwhile opens no page of its own.
   */
  readonly leaving: React.RefObject<boolean>;
  /** Form with its own button to cancel, which closes the dialog without a question. */
  readonly children: React.ReactNode;
}

/** Captions of the question while the form is not being saved. */
const DISCARD = { title: "Discard the changes?", keep: "Keep editing", confirm: "Discard" };
/** Captions of the question while the form is being saved. */
const LEAVE = { title: "Leave before the changes are saved?", keep: "Stay", confirm: "Leave" };

/** Actions that the page itself can cause, such as showing the saved object. All others are Back and Forward. */
const OF_PAGE: ReadonlySet<string> = new Set(["PUSH", "REPLACE"]);

/**
 * Frame of a dialog with a form. Escape, a click outside, another page, and Back and Forward within the page ask before
 * changes to the form are lost. If the form is saved while the user is asked, the other page opens. Code that opens
 * another page after the form was saved sets `ignoreBlocker`.
 */
export function EditDialog({ object, isSaving, leaving, onClose, children, ...frame }: EditDialogProps) {
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next, action }) => next.pathname !== current.pathname || !OF_PAGE.has(action),
    disabled: !isChanged,
    enableBeforeUnload: true,
    withResolver: true,
  });
  const isLeaving = blocker.status === "blocked";
  useLayoutEffect(() => {
    leaving.current = isLeaving;
  }, [leaving, isLeaving]);
  const { history } = useRouter();
  const { location } = history;
  // After Back, the browser shows the other page's address already, so every question needs an answer.
  const answer = useEffectEvent(() => {
    const isLink = blocker.action === "PUSH" || blocker.action === "REPLACE";
    // A sign-out has replaced the address. The link of the last user must not be opened for the next user.
    if (isLink && history.location !== location) blocker.reset?.();
    else blocker.proceed?.();
  });
  useEffect(() => () => answer(), []);
  const close = () => {
    if (isSaving) return;
    if (isChanged) setAsking(true);
    else onClose();
  };
  return (
    <ModalDialog {...frame} onClose={close}>
      <div onChange={() => setChanged(true)}>{children}</div>
      {(isAsking || isLeaving) && (
        <ConfirmDialog
          {...(isSaving ? LEAVE : DISCARD)}
          onClose={() => {
            setAsking(false);
            blocker.reset?.();
          }}
          onConfirm={() => {
            onClose();
            blocker.proceed?.();
          }}
          data-testid={testIds.dialogDiscard}
        >
          {isSaving
            ? `This ${object} is being saved. It may still be saved if you leave this page.`
            : `The changes to this ${object} have not been saved.`}
        </ConfirmDialog>
      )}
    </ModalDialog>
  );
}

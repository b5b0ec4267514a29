import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { testIds } from "../testIds";
import { ConfirmDialog } from "./ConfirmDialog";
import { ModalDialog } from "./ModalDialog";

interface EditDialogProps extends Omit<React.ComponentProps<typeof ModalDialog>, "children"> {
  /** Noun of the edited object, such as "view". */
  readonly object: string;
  /** True while the form is being saved. Only its own button then closes the dialog. */
  readonly isSaving: boolean;
  /** Form with its own button to cancel, which closes the dialog without a question. */
  readonly children: React.ReactNode;
}

/**
 * Frame of a dialog with a form. Escape, a click outside and another page ask before changes to the form are lost. Code
 * that opens another page after the form was saved sets `ignoreBlocker`.
 */
export function EditDialog({ object, isSaving, onClose, children, ...frame }: EditDialogProps) {
  const [isChanged, setChanged] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => next.pathname !== current.pathname,
    disabled: !isChanged,
    enableBeforeUnload: true,
    withResolver: true,
  });
  const isLeaving = leaving.status === "blocked";
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
          title="Discard the changes?"
          keep="Keep editing"
          confirm="Discard"
          onClose={() => {
            setAsking(false);
            leaving.reset?.();
          }}
          onConfirm={() => {
            onClose();
            leaving.proceed?.();
          }}
          data-testid={testIds.dialogDiscard}
        >
          {`The changes to this ${object} have not been saved.`}
        </ConfirmDialog>
      )}
    </ModalDialog>
  );
}

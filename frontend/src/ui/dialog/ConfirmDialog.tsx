import { AlertDialog } from "radix-ui";
import { useState } from "react";
import { changeProblem } from "../../api/revision";
import { Button } from "../Button";
import { Message } from "../Form";
import styles from "./Dialog.module.css";
import { useIsHeld } from "./useIsHeld";
import { useReturnFocus } from "./useReturnFocus";

interface ConfirmDialogProps {
  /** The question, such as "Delete view Errors?". */
  readonly title: string;
  /** Caption of the button that changes nothing. */
  readonly keep: string;
  /** Caption of the button that confirms. */
  readonly confirm?: string;
  /** Noun of the object that the request deletes, such as "view". */
  readonly object?: string;
  /** Participle for the object after the request, such as "deleted". */
  readonly done?: string;
  /** State of the request that the confirmation sends; undefined without a request. */
  readonly request?: { readonly error: unknown; readonly isError: boolean; readonly isPending: boolean };
  /** A further sentence, which stands out. */
  readonly warning?: string | undefined;
  /** Says what else is lost. */
  readonly children: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly "data-testid": string;
}

/** Next step after the object was changed since it was read. */
const REPEAT = "Delete again to delete it anyway.";

/**
 * Dialog that requires a confirmation before something is lost, and shows why the confirmed request failed. It stays
 * open while the request runs, because the request cannot be taken back. If the answer takes longer than `useIsHeld`
 * waits, the user may close it.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { confirm = "Delete", object = "object", done = "deleted", request } = props;
  const isPending = request?.isPending ?? false;
  const isHeld = useIsHeld(isPending);
  const isLate = isPending && !isHeld;
  const returnFocus = useReturnFocus();
  // In full screen, the browser shows only the element that fills it. The place stays, because another one would mount
  // the dialog anew.
  const [container] = useState(() => document.fullscreenElement);
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && !isHeld && props.onClose()}>
      <AlertDialog.Portal container={container}>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content className={styles.dialog} onCloseAutoFocus={returnFocus}>
          <AlertDialog.Title className={styles.title}>{props.title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{props.children}</AlertDialog.Description>
          {props.warning !== undefined && <Message tone="warning">{props.warning}</Message>}
          {isLate && (
            <Message tone="warning">{`No answer yet. The ${object} may still be ${done} if you close this.`}</Message>
          )}
          {request?.isError && <Message>{changeProblem(request.error, object, REPEAT)}</Message>}
          <div className={styles.actions}>
            <AlertDialog.Cancel asChild>
              <Button disabled={isHeld}>{isLate ? "Close" : props.keep}</Button>
            </AlertDialog.Cancel>
            <Button
              tone="danger"
              disabled={isPending}
              onClick={props.onConfirm}
              data-testid={props["data-testid"]}
            >
              {confirm}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

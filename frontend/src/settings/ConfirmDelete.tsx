import { AlertDialog } from "radix-ui";
import { asProblem, sentence } from "../api/problem";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import styles from "./Dialog.module.css";

interface ConfirmDeleteProps {
  /** The question, such as "Delete view Errors?". */
  readonly title: string;
  /** Caption of the button that deletes nothing. */
  readonly keep: string;
  /** State of the request that deletes. */
  readonly deleting: { readonly error: unknown; readonly isError: boolean; readonly isPending: boolean };
  /** Says what else is lost. */
  readonly children: string;
  readonly onClose: () => void;
  readonly onDelete: () => void;
  readonly "data-testid": string;
}

/** Dialog that asks for a confirmation before something is deleted, and shows why deleting failed. */
export function ConfirmDelete(props: ConfirmDeleteProps) {
  const { deleting } = props;
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content className={styles.dialog}>
          <AlertDialog.Title className={styles.title}>{props.title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{props.children}</AlertDialog.Description>
          {deleting.isError && <Message>{sentence(asProblem(deleting.error).message)}</Message>}
          <div className={styles.actions}>
            <AlertDialog.Cancel asChild>
              <Button>{props.keep}</Button>
            </AlertDialog.Cancel>
            <Button
              tone="danger"
              disabled={deleting.isPending}
              onClick={props.onDelete}
              data-testid={props["data-testid"]}
            >
              Delete
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

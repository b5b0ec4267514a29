import { AlertDialog } from "radix-ui";
import { asProblem, sentence } from "../api/problem";
import type { View } from "../api/types";
import styles from "../settings/Dialog.module.css";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import { useDeleteView } from "./viewQueries";

interface DeleteViewDialogProps {
  readonly view: View;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Deletes a view after a confirmation, because its links stop working for everyone. */
export function DeleteViewDialog({ view, onClose, onDeleted }: DeleteViewDialogProps) {
  const deleted = useDeleteView(() => {
    onDeleted();
    onClose();
  });
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content className={styles.dialog}>
          <AlertDialog.Title className={styles.title}>Delete view {view.name}?</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>
            All users of the tenant lose the view, and links to it stop working.
          </AlertDialog.Description>
          {deleted.isError && <Message>{sentence(asProblem(deleted.error).message)}</Message>}
          <div className={styles.actions}>
            <AlertDialog.Cancel asChild>
              <Button>Keep the view</Button>
            </AlertDialog.Cancel>
            <Button
              tone="primary"
              disabled={deleted.isPending}
              onClick={() => deleted.mutate(view)}
              data-testid={testIds.viewDeleteConfirm}
            >
              Delete
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

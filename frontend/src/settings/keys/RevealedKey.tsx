import { AlertDialog } from "radix-ui";
import type { CreatedKey } from "../../api/types";
import { testIds } from "../../testIds";
import { Button } from "../../ui/Button";
import { CodeBlock } from "../../ui/CodeBlock";
import styles from "../../ui/dialog/Dialog.module.css";
import { useReturnFocus } from "../../ui/dialog/useReturnFocus";

/** Shows the text of a new key. It closes by its button only, because the text cannot be shown again. */
export function RevealedKey({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const returnFocus = useReturnFocus();
  return (
    <AlertDialog.Root open>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content
          className={styles.dialog}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onCloseAutoFocus={returnFocus}
        >
          <AlertDialog.Title className={styles.title}>
            New {created.purpose} key of {created.tenant}
          </AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>
            Copy the key now. Only its hash is stored, so it cannot be shown again.
          </AlertDialog.Description>
          <CodeBlock
            title={`Key ${created.id}`}
            code={created.key}
            isWrapped
            data-testid={testIds.keyRevealed}
          />
          <div className={styles.actions}>
            <AlertDialog.Action asChild onClick={onClose}>
              <Button tone="primary" data-testid={testIds.keyRevealedClose}>
                I have copied the key
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

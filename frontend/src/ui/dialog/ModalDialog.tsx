import { Dialog } from "radix-ui";
import { useState } from "react";
import styles from "./Dialog.module.css";
import { useReturnFocus } from "./useReturnFocus";

interface ModalDialogProps {
  readonly title: React.ReactNode;
  /** Text below the title, which screen readers read with it. */
  readonly description?: React.ReactNode;
  /** Called after Escape and after a click outside of the dialog. */
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

/** Frame of an open dialog: the page behind it is dimmed and cannot be used. */
export function ModalDialog({ title, description, onClose, children }: ModalDialogProps) {
  const returnFocus = useReturnFocus();
  // In full screen, the browser shows only the element that fills it. The place stays, because another one would mount
  // the dialog anew.
  const [container] = useState(() => document.fullscreenElement);
  // Without a description, the attribute must be unset, or Radix refers to an element that is missing.
  const described = description === undefined ? { "aria-describedby": undefined } : {};
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal container={container}>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.dialog} onCloseAutoFocus={returnFocus} {...described}>
          <Dialog.Title className={styles.title}>{title}</Dialog.Title>
          {description !== undefined && (
            <Dialog.Description className={styles.text}>{description}</Dialog.Description>
          )}
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

import { Dialog } from "radix-ui";
import { useState } from "react";
import type { FilterBy } from "../language/editQuery";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { FieldBrowser, type FieldBrowserProps } from "./FieldBrowser";
import styles from "./FieldsDialog.module.css";

/** A button for pages too narrow for the panel of fields. It opens the fields over the page until a filter is chosen. */
export function FieldsDialog({ onFilter, ...props }: Omit<FieldBrowserProps, "children">) {
  const [isOpen, setOpen] = useState(false);
  const filter: FilterBy = (...filter) => {
    setOpen(false);
    onFilter(...filter);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <Button size="large" className={styles.trigger} data-testid={testIds.fieldsOpen}>
          <Icon name="plan" />
          Fields
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.dialog} aria-describedby={undefined} data-testid={testIds.fields}>
          <Dialog.Title className="visually-hidden">Fields</Dialog.Title>
          <FieldBrowser {...props} onFilter={filter}>
            <Dialog.Close asChild>
              <IconButton label="Close" data-testid={testIds.fieldsClose}>
                <Icon name="close" />
              </IconButton>
            </Dialog.Close>
          </FieldBrowser>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

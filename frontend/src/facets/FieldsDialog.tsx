import { Dialog } from "radix-ui";
import { memo } from "react";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { Drawer } from "../ui/Drawer";
import { Icon } from "../ui/Icon";
import { FieldBrowser, type FieldBrowserProps } from "./FieldBrowser";
import styles from "./FieldsDialog.module.css";

/** Button that opens the fields over the page, for pages too narrow for the panel. */
export const FieldsDialog = memo(function FieldsDialog(props: Omit<FieldBrowserProps, "children">) {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <Button size="large" className={styles.trigger} data-testid={testIds.fieldsOpen}>
          <Icon name="plan" />
          Fields
        </Button>
      </Dialog.Trigger>
      <Drawer side="left" width="min(320px, 88vw)" data-testid={testIds.fields}>
        <Dialog.Title className="visually-hidden">Fields</Dialog.Title>
        <FieldBrowser {...props}>
          <Dialog.Close asChild>
            <IconButton label="Close" data-testid={testIds.fieldsClose}>
              <Icon name="close" />
            </IconButton>
          </Dialog.Close>
        </FieldBrowser>
      </Drawer>
    </Dialog.Root>
  );
});

import { Dialog } from "radix-ui";
import { Fragment, useState } from "react";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useFocusKey } from "../ui/useFocusKey";
import styles from "./KeyMapDialog.module.css";
import { KEY_MAP } from "./keyMap";

/** Button and key `?` that show the keys of the page. */
export function KeyMapDialog() {
  const [isOpen, setOpen] = useState(false);
  useFocusKey("?", () => setOpen(true));
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton label="Keys (?)" className={styles.trigger} data-testid={testIds.keysOpen}>
          <Icon name="keys" size={15} />
        </IconButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.dialog} aria-describedby={undefined} data-testid={testIds.keys}>
          <header className={styles.head}>
            <Dialog.Title className={styles.title}>Keys</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label="Close">
                <Icon name="close" />
              </IconButton>
            </Dialog.Close>
          </header>
          <dl className={styles.keys}>
            {KEY_MAP.map(({ keys, where, does }) => (
              <div key={`${keys} ${where}`} className={styles.row}>
                <dt>
                  {keys.split(", ").map((key) => (
                    <Fragment key={key}>
                      <kbd>{key}</kbd>{" "}
                    </Fragment>
                  ))}
                </dt>
                <dd>
                  {does} <span className={styles.where}>({where})</span>
                </dd>
              </div>
            ))}
          </dl>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

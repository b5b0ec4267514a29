import { DropdownMenu } from "radix-ui";
import type { ComponentProps } from "react";
import styles from "./Menu.module.css";

/** The list that a menu's button opens. */
export function MenuContent(props: ComponentProps<typeof DropdownMenu.Content>) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content className={styles.menu} sideOffset={6} {...props} />
    </DropdownMenu.Portal>
  );
}

/** A line above the items that says what they are about. */
export function MenuLabel(props: ComponentProps<typeof DropdownMenu.Label>) {
  return <DropdownMenu.Label className={styles.label} {...props} />;
}

/** A choice of the menu. */
export function MenuItem({ className, ...props }: ComponentProps<typeof DropdownMenu.Item>) {
  return <DropdownMenu.Item className={[styles.item, className].filter(Boolean).join(" ")} {...props} />;
}

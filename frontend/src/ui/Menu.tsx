import { DropdownMenu } from "radix-ui";
import { type ComponentProps, type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import { Icon } from "./Icon";
import styles from "./Menu.module.css";

/** The list that a menu's button opens. It belongs to the page's main part, so that all of the page is in a landmark. */
export function MenuContent({ className, ...props }: ComponentProps<typeof DropdownMenu.Content>) {
  const classes = [styles.menu, className].filter(Boolean).join(" ");
  return (
    <DropdownMenu.Portal>
      <InMain>
        <DropdownMenu.Content className={classes} sideOffset={6} {...props} />
      </InMain>
    </DropdownMenu.Portal>
  );
}

/**
 * Puts its children into the main part that the page has when they are shown. The page may have got another main part
 * since the menu's button was drawn.
 */
function InMain({ children }: { readonly children: ReactNode }) {
  const [main] = useState(() => document.querySelector("main") ?? document.body);
  return createPortal(children, main);
}

/** Title line above the items of a menu. */
export function MenuLabel(props: ComponentProps<typeof DropdownMenu.Label>) {
  return <DropdownMenu.Label className={styles.label} {...props} />;
}

/** Item of a menu in which exactly one item is chosen. */
export function MenuRadioItem({ children, ...props }: ComponentProps<typeof DropdownMenu.RadioItem>) {
  return (
    <DropdownMenu.RadioItem className={styles.item} {...props}>
      <span className={styles.mark}>
        <DropdownMenu.ItemIndicator>
          <Icon name="check" size={11} />
        </DropdownMenu.ItemIndicator>
      </span>
      {children}
    </DropdownMenu.RadioItem>
  );
}

/** Item of a menu that runs an action. */
export function MenuItem({ className, ...props }: ComponentProps<typeof DropdownMenu.Item>) {
  return <DropdownMenu.Item className={[styles.item, className].filter(Boolean).join(" ")} {...props} />;
}

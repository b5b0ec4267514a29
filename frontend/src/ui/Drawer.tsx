import { Dialog } from "radix-ui";
import type { ComponentProps } from "react";
import styles from "./Drawer.module.css";

interface DrawerProps extends ComponentProps<typeof Dialog.Content> {
  readonly side: "left" | "right";
  /** Width in CSS syntax. */
  readonly width: string;
}

/** A dialog along one side of the page, over everything else, as tall as the page. */
export function Drawer({ side, width, ...props }: DrawerProps) {
  return (
    <Dialog.Portal>
      <Dialog.Overlay className={styles.overlay} />
      <Dialog.Content
        className={styles.drawer}
        data-side={side}
        style={{ width }}
        aria-describedby={undefined}
        {...props}
      />
    </Dialog.Portal>
  );
}

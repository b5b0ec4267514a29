import { DropdownMenu } from "radix-ui";
import { memo } from "react";
import { setPreferences, useShownTheme } from "../preferences/preferences";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import { Logo } from "../ui/Logo";
import { MenuContent, MenuItem, MenuLabel } from "../ui/Menu";
import styles from "./Header.module.css";
import { KeyMapDialog } from "./KeyMapDialog";

interface HeaderProps {
  /** Returns the link that the Share button copies; without it, the page has no such button. */
  readonly shareLink?: () => string;
  /** Heading of a page that shows none itself. */
  readonly title?: string;
}

export const Header = memo(function Header({ shareLink, title }: HeaderProps) {
  return (
    <header className={styles.header}>
      <a className={styles.brand} href="/" aria-label="Logsieve, start over">
        <Logo />
        <span>Logsieve</span>
      </a>
      {title !== undefined && <h1 className="visually-hidden">{title}</h1>}
      <div className={styles.actions}>
        {shareLink !== undefined && (
          <>
            <CopyButton
              label="Copy a link to these results with fixed times"
              caption="Share"
              icon="link"
              text={shareLink}
              data-testid={testIds.share}
            />
            <KeyMapDialog />
          </>
        )}
        <ThemeToggle />
        <TenantMenu />
      </div>
    </header>
  );
});

function ThemeToggle() {
  const shown = useShownTheme();
  const next = shown === "dark" ? "light" : "dark";
  return (
    <IconButton
      label={`Switch to ${next} theme`}
      data-testid={testIds.themeToggle}
      onClick={() => setPreferences({ theme: next })}
    >
      <Icon name={shown === "dark" ? "sun" : "moon"} size={15} />
    </IconButton>
  );
}

function TenantMenu() {
  const { tenant, signOut } = useSession();
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button tone="ghost" className={styles.tenant} aria-label={`Tenant ${tenant}, account menu`}>
          <Icon name="user" />
          <span data-testid={testIds.tenant}>{tenant}</span>
          <Icon name="down" size={10} />
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent align="end" style={{ minWidth: 200 }}>
        <MenuLabel>Signed in to tenant {tenant}</MenuLabel>
        <MenuItem onSelect={signOut} data-testid={testIds.signOut}>
          Sign out
        </MenuItem>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./ResultToolbar.module.css";

/** Switches between one line per record and whole messages, in results and in a live tail. */
export function WrapToggle() {
  const { wrap } = usePreferences();
  return (
    <Button
      size="small"
      tone="ghost"
      pressed={wrap}
      aria-label="Wrap"
      title="Show whole messages on several lines"
      data-testid={testIds.wrap}
      onClick={() => setPreferences({ wrap: !wrap })}
    >
      <Icon name="wrap" />
      <span className={styles.caption}>Wrap</span>
    </Button>
  );
}

import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./ResultToolbar.module.css";

/** Switches between spaced and dense rows, in results and in a live tail. */
export function DensityToggle() {
  const { density } = usePreferences();
  const isCompact = density === "compact";
  return (
    <Button
      size="small"
      tone="ghost"
      pressed={isCompact}
      aria-label="Compact"
      title="Show more rows, closer together"
      data-testid={testIds.density}
      onClick={() => setPreferences({ density: isCompact ? "comfortable" : "compact" })}
    >
      <Icon name="rows" />
      <span className={styles.caption}>Compact</span>
    </Button>
  );
}

import type { Alert } from "../api/types";
import { testIds } from "../testIds";
import styles from "../ui/section/Section.module.css";
import { muteEnd, shownState } from "./alertText";

/** The state of a rule, and whether it is muted. */
export function StateBadge({ alert }: { alert: Alert }) {
  const { name, tone } = shownState(alert);
  return (
    <>
      <span className={styles.badge} data-tone={tone} data-testid={testIds.alertState}>
        {name}
      </span>
      {muteEnd(alert) !== null && <span className={styles.muted}> muted</span>}
    </>
  );
}

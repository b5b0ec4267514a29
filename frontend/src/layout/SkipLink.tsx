import { testIds } from "../testIds";
import { focusResults } from "../ui/focusResults";
import styles from "./SkipLink.module.css";

/** First Tab stop of the page. Moves the focus past the navigation and the controls to the main content. */
export function SkipLink({ label }: { label: string }) {
  return (
    <button type="button" className={styles.skip} data-testid={testIds.skip} onClick={focusResults}>
      {label}
    </button>
  );
}

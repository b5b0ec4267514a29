import { testIds } from "../testIds";
import styles from "./SkipLink.module.css";

/** First Tab stop of the page. Moves the focus past the navigation and the controls to the main content. */
export function SkipLink({ label }: { label: string }) {
  return (
    <button type="button" className={styles.skip} data-testid={testIds.skip} onClick={focusResults}>
      {label}
    </button>
  );
}

/** Moves the focus to the list of logs or, where there is none, to the page's main area. */
export function focusResults(): void {
  const results = document.querySelector<HTMLElement>("main [role=grid]") ?? document.querySelector("main");
  results?.focus();
}

import { testIds } from "../testIds";
import styles from "./SkipLink.module.css";

/** The page's first Tab stop: moves the focus to the results, past the query bar, the chart and the fields. */
export function SkipLink() {
  return (
    <button type="button" className={styles.skip} data-testid={testIds.skip} onClick={focusResults}>
      Skip to the results
    </button>
  );
}

/** Moves the focus to the list of logs or, where there is none, to the area that says why. */
export function focusResults(): void {
  const results = document.querySelector<HTMLElement>("main [role=grid]") ?? document.querySelector("main");
  results?.focus();
}

import styles from "./LoadingRows.module.css";

const WIDTHS = [62, 48, 71, 39, 55, 80, 44, 66, 52, 74, 36, 59];

/** Placeholder for the first results. */
export function LoadingRows() {
  return (
    <div className={styles.loading} role="status" aria-label="Searching">
      {WIDTHS.map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

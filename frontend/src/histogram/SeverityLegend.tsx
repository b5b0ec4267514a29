import { formatCount } from "../format/quantity";
import type { Severity } from "../severity/severity";
import styles from "./Histogram.module.css";

interface SeverityLegendProps {
  readonly totals: readonly (readonly [Severity, number])[];
  readonly onPick: (severity: Severity) => void;
}

/** The severity of each colour, with its count. A click keeps only that severity. */
export function SeverityLegend({ totals, onPick }: SeverityLegendProps) {
  return (
    <ul className={styles.legend}>
      {totals.map(([severity, count]) => (
        <li key={severity}>
          <button
            type="button"
            className={styles.key}
            data-severity={severity}
            title={`Show only ${severity}`}
            onClick={() => onPick(severity)}
          >
            {severity} <span>{formatCount(count)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

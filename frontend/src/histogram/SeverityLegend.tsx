import { formatCount } from "../format/quantity";
import type { Severity } from "../severity/severity";
import { testIds } from "../testIds";
import styles from "./Histogram.module.css";
import { type HiddenSeries, onlySeries, toggleSeries } from "./hiddenSeries";

interface SeverityLegendProps {
  readonly totals: readonly (readonly [Severity, number])[];
  readonly hidden: HiddenSeries;
  readonly onChange: (hidden: HiddenSeries) => void;
}

/** The severity of each colour, with its count. A click hides its part of the bars and shows it again. */
export function SeverityLegend({ totals, hidden, onChange }: SeverityLegendProps) {
  const all = totals.map(([severity]) => severity);
  return (
    <ul className={styles.legend} aria-label="Severities in the chart">
      {totals.map(([severity, count]) => (
        <li key={severity}>
          <button
            type="button"
            className={styles.key}
            aria-pressed={!hidden.has(severity)}
            data-severity={severity}
            data-testid={testIds.legendKey}
            title={`Click to hide or show ${severity} in the chart; Alt and click to show only ${severity}`}
            onClick={({ altKey }) => onChange((altKey ? onlySeries : toggleSeries)(hidden, all, severity))}
          >
            {severity} <span>{formatCount(count)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

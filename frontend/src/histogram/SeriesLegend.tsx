import { formatCount } from "../format/quantity";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import type { ChartData } from "./chartData";
import type { ChartSeries } from "./chartSeries";
import styles from "./Histogram.module.css";
import { type HiddenSeries, onlySeries, toggleSeries } from "./hiddenSeries";

interface SeriesLegendProps {
  readonly data: ChartData;
  readonly hidden: HiddenSeries;
  readonly onChange: (hidden: HiddenSeries) => void;
}

/** The series of each colour, with its count. A click hides its part of the bars and shows it again. */
export function SeriesLegend({ data, hidden, onChange }: SeriesLegendProps) {
  const all = data.series.map(({ id }) => id);
  const name = data.by === null ? "Severities" : `Values of ${visibleText(data.by)}`;
  return (
    <ul className={styles.legend} aria-label={`${name} in the chart`}>
      {data.series.map(({ id, label, token, total, severity }) => (
        <li key={id}>
          <button
            type="button"
            className={styles.key}
            style={toneOf(token)}
            aria-pressed={!hidden.has(id)}
            data-severity={severity ?? undefined}
            data-testid={testIds.legendKey}
            title={`${label}: click to hide or show it in the chart; Alt-click to show only this`}
            onClick={({ altKey }) => onChange((altKey ? onlySeries : toggleSeries)(hidden, all, id))}
          >
            <span className={styles.label}>{label}</span> <span>{formatCount(total)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Returns the style that gives an element the colour of a series. */
export function toneOf(token: ChartSeries["token"]): React.CSSProperties {
  const style = { "--tone": `var(${token})` };
  return style as React.CSSProperties;
}

import { toneOf } from "../histogram/SeriesLegend";
import { testIds } from "../testIds";
import styles from "./Chart.module.css";
import { cellText } from "./cellText";
import type { OpenGroup } from "./openGroup";
import type { DrawnSeries } from "./seriesData";

interface ChartLegendProps {
  readonly series: readonly DrawnSeries[];
  /** Index of the bucket whose numbers are shown; null for none. */
  readonly place: number | null;
  /** Shows the logs of a group; left out where groups lead nowhere. */
  readonly onOpen?: OpenGroup;
}

/** Legend with the colour and the name of each series. With `onOpen`, a click on a series shows the logs of its group. */
export function ChartLegend({ series, place, onOpen }: ChartLegendProps) {
  return (
    <ul className={styles.legend}>
      {series.map(({ id, label, token, kind, group, values }) => {
        const number = place === null ? null : <span>{cellText(values[place])}</span>;
        return (
          <li key={id} className={styles.series} style={toneOf(token)}>
            {onOpen !== undefined && kind === "group" && group.length > 0 ? (
              <button
                type="button"
                className={styles.open}
                title="Show these logs"
                data-testid={testIds.chartGroup}
                onClick={() => onOpen(group)}
              >
                {label}
              </button>
            ) : (
              <span className={styles.label}>{label}</span>
            )}{" "}
            {number}
          </li>
        );
      })}
    </ul>
  );
}

import { memo } from "react";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { formatFullTime, formatRowTime } from "../time/format";
import { NS_PER_MS } from "../time/nanoseconds";
import type { ChartData } from "./chartData";

/** Shows the chart's numbers as a table for screen readers. Leaves out buckets without logs. */
export const HistogramTable = memo(function HistogramTable({ data }: { data: ChartData }) {
  const { zone } = usePreferences();
  const { series } = data;
  // Rows of shorter buckets would begin with the same time.
  const startText = data.interval < NS_PER_MS ? formatFullTime : formatRowTime;
  return (
    // A table grows to its content whatever its height is, so the box around it hides it.
    <div className="visually-hidden">
      <table data-testid={testIds.histogramTable}>
        <caption>Logs over time by {visibleText(data.by ?? "severity")}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Total</th>
            {series.map(({ id, label }) => (
              <th key={id} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.buckets
            .filter(({ total }) => total > 0)
            .map((bucket) => (
              <tr key={String(bucket.start)}>
                <th scope="row">{startText(bucket.start, zone)}</th>
                <td>{bucket.total}</td>
                {series.map(({ id }) => (
                  <td key={id}>{bucket.counts.find(([other]) => other.id === id)?.[1] ?? 0}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
});

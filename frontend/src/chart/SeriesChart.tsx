import { useCallback, useState } from "react";
import { type PlotSize, usePlot } from "../plot/usePlot";
import { usePreferences, useShownTheme } from "../preferences/preferences";
import { formatRowTime } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { readColour } from "../ui/readColour";
import { useLatest } from "../ui/useLatest";
import styles from "./Chart.module.css";
import { ChartLegend } from "./ChartLegend";
import type { OpenGroup } from "./openGroup";
import type { SeriesData } from "./seriesData";
import { alignedSeries, seriesOptions } from "./seriesOptions";

interface SeriesChartProps {
  /** Text that names the chart for screen readers. */
  readonly name: string;
  readonly data: SeriesData;
  readonly window: TimeWindow;
  /** True for stacked bars, false for lines. */
  readonly isStacked: boolean;
  /** Number at which a dashed line is drawn. */
  readonly threshold?: number | null;
  readonly onOpen?: OpenGroup;
  /** Takes a dragged span of time. */
  readonly onSelect?: (window: TimeWindow) => void;
}

/** Numbers over time. The legend has the numbers of the bucket under the pointer. */
export function SeriesChart(props: SeriesChartProps) {
  const { name, data, window, isStacked, threshold = null, onOpen, onSelect } = props;
  const [hovered, setHovered] = useState<number | null>(null);
  const { zone } = usePreferences();
  const theme = useShownTheme();
  const select = useLatest((fromMs: number, toMs: number) =>
    onSelect?.({ start: fromMilliseconds(fromMs), end: fromMilliseconds(toMs) }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours that are read follow the theme
  const draw = useCallback(
    (size: PlotSize) => {
      const hooks = { hover: setHovered, select };
      const options = seriesOptions(data, window, { ...size, isStacked, threshold }, zone, readColour, hooks);
      return [options, alignedSeries(data, isStacked)] as const;
    },
    [data, window, zone, theme, isStacked, threshold, select],
  );
  const parent = usePlot(draw, setHovered);

  const start = hovered === null ? undefined : data.starts[hovered];
  return (
    <figure className={styles.figure} aria-label={name}>
      <div className={styles.canvas} ref={parent} aria-hidden="true" />
      <figcaption className={styles.caption}>
        <ChartLegend
          series={data.series}
          place={start === undefined ? null : hovered}
          {...(onOpen !== undefined && { onOpen })}
        />
        <p className={styles.moment} aria-hidden="true">
          {start === undefined ? "" : formatRowTime(fromMilliseconds(start), zone).replace(/\.000$/, "")}
        </p>
      </figcaption>
    </figure>
  );
}

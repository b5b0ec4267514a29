import { useCallback, useState } from "react";
import { type PlotSize, usePlot } from "../plot/usePlot";
import { usePreferences, useShownTheme } from "../preferences/preferences";
import type { Nanoseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { readColour } from "../ui/readColour";
import { useLatest } from "../ui/useLatest";
import { BucketTooltip } from "./BucketTooltip";
import type { ChartData } from "./chartData";
import { clickedWindow, selectedWindow } from "./chartData";
import type { HoveredBucket } from "./chartOptions";
import { alignedData, CHART_HEIGHTS, chartOptions } from "./chartOptions";
import styles from "./Histogram.module.css";

interface VolumeChartProps {
  readonly data: ChartData;
  readonly onSelect: (window: TimeWindow) => void;
}

/** The bars. A canvas says nothing to screen readers: the table beside it has the same numbers. */
export function VolumeChart({ data, onSelect }: VolumeChartProps) {
  const [hovered, setHovered] = useState<HoveredBucket | null>(null);
  const { zone, chartScale: scale, chartHeight } = usePreferences();
  const height = CHART_HEIGHTS[chartHeight];
  const theme = useShownTheme();
  const select = useLatest((from: Nanoseconds, to: Nanoseconds) => {
    const window = selectedWindow(data, from, to);
    if (window !== null) onSelect(window);
  });
  const click = useLatest((index: number) => {
    const window = clickedWindow(data, index);
    if (window !== null) onSelect(window);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours that are read follow the theme
  const draw = useCallback(
    ({ width }: PlotSize) => {
      const hooks = { hover: setHovered, select, click };
      const options = chartOptions(data, width, { height, scale }, zone, readColour, hooks);
      return [options, alignedData(data)] as const;
    },
    [data, zone, theme, height, scale, select, click],
  );
  const parent = usePlot(draw, setHovered);

  const bucket = hovered === null ? undefined : data.buckets[hovered.index];
  return (
    <div className={styles.chart} style={{ height }} aria-hidden="true">
      <div ref={parent} style={{ height }} />
      {hovered !== null && bucket !== undefined && (
        <BucketTooltip bucket={bucket} place={hovered} zone={zone} />
      )}
    </div>
  );
}

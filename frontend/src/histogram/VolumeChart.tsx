import { useEffect, useEffectEvent, useRef, useState } from "react";
import uPlot from "uplot";
import { usePreferences, useShownTheme } from "../preferences/preferences";
import type { Nanoseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { readColour } from "../ui/readColour";
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
  const parent = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<HoveredBucket | null>(null);
  const { zone, chartScale: scale, chartHeight } = usePreferences();
  const height = CHART_HEIGHTS[chartHeight];
  const theme = useShownTheme();
  const select = useEffectEvent((from: Nanoseconds, to: Nanoseconds) => {
    const window = selectedWindow(data, from, to);
    if (window !== null) onSelect(window);
  });
  const click = useEffectEvent((index: number) => {
    const window = clickedWindow(data, index);
    if (window !== null) onSelect(window);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours that are read follow the theme
  useEffect(() => {
    const element = parent.current;
    if (element === null) return;
    const hooks = {
      hover: setHovered,
      select: (from: Nanoseconds, to: Nanoseconds) => select(from, to),
      click: (index: number) => click(index),
    };
    const options = chartOptions(data, element.clientWidth, { height, scale }, zone, readColour, hooks);
    const chart = new uPlot(options, alignedData(data), element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      setHovered(null);
    };
  }, [data, zone, theme, height, scale]);

  const bucket = hovered === null ? undefined : data.buckets[hovered.index];
  return (
    <div className={styles.chart} style={{ height }} aria-hidden="true">
      <div ref={parent} />
      {hovered !== null && bucket !== undefined && (
        <BucketTooltip bucket={bucket} place={hovered} zone={zone} />
      )}
    </div>
  );
}

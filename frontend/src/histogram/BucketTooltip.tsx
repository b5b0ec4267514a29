import { formatCount, plural } from "../format/quantity";
import { testIds } from "../testIds";
import type { TimeZoneChoice } from "../time/format";
import { formatBucketEdges } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";
import type { ChartBucket } from "./chartData";
import type { HoveredBucket } from "./chartOptions";
import styles from "./Histogram.module.css";
import { toneOf } from "./SeriesLegend";

interface BucketTooltipProps {
  readonly bucket: ChartBucket;
  readonly place: HoveredBucket;
  readonly zone: TimeZoneChoice;
}

export function BucketTooltip({ bucket, place, zone }: BucketTooltipProps) {
  const opensLeft = place.left > window.innerWidth / 2;
  const beside = opensLeft
    ? { right: `calc(100% - ${place.left - 8}px)` }
    : { left: place.left + place.width + 8 };
  return (
    <>
      <div className={styles.band} style={{ left: place.left, width: Math.max(2, place.width) }} />
      <div className={styles.tooltip} style={beside} data-testid={testIds.histogramTooltip}>
        <p className={styles.tooltipTime}>
          {formatBucketEdges(bucket.start, bucket.end, zone, fromMilliseconds(Date.now()))}
        </p>
        <p className={styles.tooltipTotal}>{plural(bucket.total, "log")}</p>
        {bucket.counts.map(([{ id, label, token }, count]) => (
          <p key={id} className={styles.tooltipCount} style={toneOf(token)}>
            <span className={styles.label}>{label}</span>
            <span>{formatCount(count)}</span>
          </p>
        ))}
      </div>
    </>
  );
}

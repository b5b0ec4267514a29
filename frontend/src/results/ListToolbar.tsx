import type { SearchProgress } from "../api/searchStream";
import type { SearchStats } from "../api/types";
import { ExportMenu } from "../export/ExportMenu";
import type { RunningExport } from "../export/useExport";
import { formatBytes, formatCompact, formatCount, formatElapsed, plural } from "../format/quantity";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { AreaProps } from "./areaProps";
import { DensityToggle } from "./DensityToggle";
import { planText } from "./planText";
import { ResultToolbar } from "./ResultToolbar";
import styles from "./ResultToolbar.module.css";
import type { SearchPages } from "./searchPages";
import { WrapToggle } from "./WrapToggle";

export interface ListToolbarProps extends AreaProps {
  readonly found: SearchPages;
  /** Number of all matching records; null while it is not known. */
  readonly total: number | null;
  /** The page's export, which goes on while the page shows something else than the list. */
  readonly exporting: RunningExport;
}

/** Toolbar above the list of logs. */
export function ListToolbar({ found, total, exporting, ...area }: ListToolbarProps) {
  const { pages, logs, progress } = found;
  const { order } = area.state;
  const loaded = pages.data === undefined && logs.length === 0 ? null : logs.length;
  const stats = pages.isPlaceholderData ? undefined : pages.data?.pages[0]?.stats;
  return (
    <ResultToolbar
      {...area}
      running={pages.isFetching ? "Searching" : null}
      progress={progress === null ? undefined : progressText(progress)}
      onCancel={found.cancel}
      controls={
        <>
          <span className={styles.count} data-testid={testIds.resultCount} aria-live="polite">
            {countText(loaded, total)}
          </span>
          <Button
            size="small"
            tone="ghost"
            aria-label={
              order === "desc" ? "Newest first, change the order" : "Oldest first, change the order"
            }
            title="Change the order"
            data-testid={testIds.order}
            onClick={() => area.onRun({ order: order === "desc" ? "asc" : "desc" })}
          >
            <Icon name="sort" />
            <span className={styles.caption}>{order === "desc" ? "Newest first" : "Oldest first"}</span>
          </Button>
          <WrapToggle />
          <DensityToggle />
        </>
      }
    >
      {progress !== null && (
        <span className={styles.stats} data-testid={testIds.searchProgress}>
          {progressText(progress)}
        </span>
      )}
      {progress === null && stats !== undefined && <StatsLine stats={stats} />}
      <ExportMenu {...exporting} />
      <Button
        size="small"
        tone="ghost"
        aria-label="Explain"
        title="How this search runs"
        data-testid={testIds.explainOpen}
        onClick={() => area.change({ explain: true })}
      >
        <Icon name="plan" />
        <span className={styles.caption}>Explain</span>
      </Button>
    </ResultToolbar>
  );
}

function StatsLine({ stats }: { stats: SearchStats }) {
  const plan = planText(stats.plan);
  return (
    <dl className={styles.stats} data-testid={testIds.stats}>
      <dt className="visually-hidden">Time taken</dt>
      <dd>{formatElapsed(stats.elapsed_ms)}</dd>
      <dt className="visually-hidden">Read</dt>
      <dd
        className={styles.read}
        title={`${formatCount(stats.rows_read)} rows, ${formatCount(stats.bytes_read)} bytes read`}
      >
        {formatCompact(stats.rows_read)} rows, {formatBytes(stats.bytes_read)} read
      </dd>
      <dt className="visually-hidden">Plan</dt>
      <dd title={plan.explanation}>
        {plan.label}
        <span className="visually-hidden">. {plan.explanation}</span>
      </dd>
    </dl>
  );
}

function progressText({ windows, rows_read, bytes_read }: SearchProgress): string {
  return `${plural(windows, "window")} done, ${formatCompact(rows_read)} rows, ${formatBytes(bytes_read)} read`;
}

/** Returns how many records are loaded; an empty text before the first page, and if the page could not be read. */
function countText(loaded: number | null, total: number | null): string {
  if (loaded === null) return "";
  if (total === null) return `${formatCount(loaded)} loaded`;
  return `${formatCount(loaded)} of ${formatCount(Math.max(total, loaded))} loaded`;
}

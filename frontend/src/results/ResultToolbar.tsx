import type { SearchProgress } from "../api/searchStream";
import type { SearchStats } from "../api/types";
import { ModeSwitch } from "../chart/ModeSwitch";
import { ExportMenu } from "../export/ExportMenu";
import type { RunningExport } from "../export/useExport";
import { formatBytes, formatCompact, formatCount, formatElapsed, plural } from "../format/quantity";
import { testIds } from "../testIds";
import type { RefreshChoice } from "../time/refreshEvery";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { Order, ResultMode } from "../url/searchState";
import { AutoRefreshMenu } from "./AutoRefreshMenu";
import { DensityToggle } from "./DensityToggle";
import { planText } from "./planText";
import styles from "./ResultToolbar.module.css";
import { WrapToggle } from "./WrapToggle";

interface ResultToolbarProps {
  /** Number of loaded records; null before the first page, and if the page could not be read. */
  readonly loaded: number | null;
  /** Number of all matching records; null while it is not known. */
  readonly total: number | null;
  readonly order: Order;
  readonly stats: SearchStats | null;
  /** Progress of the page that is arriving; null before its first window and when no page is requested. */
  readonly progress: SearchProgress | null;
  readonly isFetching: boolean;
  readonly exporting: RunningExport;
  readonly refresh: RefreshChoice | null;
  readonly endsNow: boolean;
  readonly onMode: (mode: ResultMode) => void;
  readonly onRefreshChoice: (choice: RefreshChoice | null) => void;
  readonly onOrder: (order: Order) => void;
  readonly onRefresh: () => void;
  readonly onCancel: () => void;
  readonly onExplain: () => void;
}

export function ResultToolbar(props: ResultToolbarProps) {
  const { order, stats, progress } = props;
  return (
    <section className={styles.toolbar} aria-label="Results">
      <ModeSwitch mode="logs" onMode={props.onMode} />
      <span className={styles.count} data-testid={testIds.resultCount} aria-live="polite">
        {countText(props.loaded, props.total)}
      </span>
      <Button
        size="small"
        tone="ghost"
        aria-label={order === "desc" ? "Newest first, change the order" : "Oldest first, change the order"}
        title="Change the order"
        data-testid={testIds.order}
        onClick={() => props.onOrder(order === "desc" ? "asc" : "desc")}
      >
        <Icon name="sort" />
        <span className={styles.caption}>{order === "desc" ? "Newest first" : "Oldest first"}</span>
      </Button>
      <WrapToggle />
      <DensityToggle />
      {props.isFetching ? (
        <Button
          size="small"
          tone="ghost"
          title="Stop this search (Escape)"
          data-testid={testIds.cancel}
          onClick={props.onCancel}
        >
          <Icon name="close" />
          Cancel
        </Button>
      ) : (
        <Button
          size="small"
          tone="ghost"
          aria-label="Refresh"
          title="Run the search again, up to now"
          data-testid={testIds.refresh}
          onClick={props.onRefresh}
        >
          <Icon name="refresh" />
          <span className={styles.caption}>Refresh</span>
        </Button>
      )}
      <AutoRefreshMenu choice={props.refresh} endsNow={props.endsNow} onChoose={props.onRefreshChoice} />
      <span className={styles.space} />
      {progress !== null && (
        <span className={styles.stats} data-testid={testIds.searchProgress}>
          {progressText(progress)}
        </span>
      )}
      {progress === null && stats !== null && <StatsLine stats={stats} />}
      <ExportMenu {...props.exporting} />
      <Button
        size="small"
        tone="ghost"
        aria-label="Explain"
        title="How this search runs"
        data-testid={testIds.explainOpen}
        onClick={props.onExplain}
      >
        <Icon name="plan" />
        <span className={styles.caption}>Explain</span>
      </Button>
      {props.isFetching && (
        <span
          className={styles.progress}
          role="progressbar"
          aria-label="Searching"
          aria-valuetext={progress === null ? undefined : progressText(progress)}
        />
      )}
    </section>
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

function countText(loaded: number | null, total: number | null): string {
  if (loaded === null) return "";
  if (total === null) return `${formatCount(loaded)} loaded`;
  return `${formatCount(loaded)} of ${formatCount(Math.max(total, loaded))} loaded`;
}

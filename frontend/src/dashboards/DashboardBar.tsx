import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { formatWindowEdges } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { describeRelative } from "../time/timeExpression";
import { AutoRefreshMenu } from "../timeRange/AutoRefreshMenu";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { TimeRangePicker } from "../timeRange/TimeRangePicker";
import { Button, IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import styles from "./Dashboard.module.css";
import { type DashboardTime, dashboardLink } from "./dashboardSearch";
import { useFullScreen } from "./useFullScreen";

interface DashboardBarProps {
  readonly id: string;
  readonly time: DashboardTime;
  readonly window: TimeWindow | null;
  readonly isEdited: boolean;
  readonly onTime: (change: Partial<DashboardTime>) => void;
  readonly onRefresh: () => void;
  readonly onEdit: () => void;
}

/** Controls over a dashboard: its range, refresh, link, full screen and edit mode. */
export function DashboardBar({ id, time, window, isEdited, onTime, onRefresh, onEdit }: DashboardBarProps) {
  const screen = useFullScreen();
  return (
    <div className={styles.bar}>
      {screen.isFull ? (
        // In full screen, only a text shows the range, because the form to change it would open outside of the visible
        // part.
        <RangeText range={time} window={window} />
      ) : (
        <TimeRangePicker
          range={time}
          window={window}
          size="normal"
          onChange={({ from, to }: TimeRange) => onTime({ from, to })}
        />
      )}
      <span className={styles.refresh}>
        <IconButton label="Refresh" data-testid={testIds.refresh} onClick={onRefresh}>
          <Icon name="refresh" />
        </IconButton>
        <AutoRefreshMenu
          choice={time.refresh}
          endsNow={time.to === "now"}
          onChoose={(refresh) => onTime({ refresh })}
        />
      </span>
      {!screen.isFull && (
        <CopyButton
          label="Copy a link to this dashboard with fixed times"
          caption="Share"
          icon="link"
          text={() => dashboardLink(globalThis.location.href, id, window)}
          data-testid={testIds.share}
        />
      )}
      {screen.isOffered && (
        <Button pressed={screen.isFull} data-testid={testIds.dashboardFull} onClick={screen.toggle}>
          <Icon name="expand" />
          Full screen
        </Button>
      )}
      {!isEdited && !screen.isFull && (
        <Button data-testid={testIds.dashboardEdit} onClick={onEdit}>
          <Icon name="pencil" />
          Edit
        </Button>
      )}
    </div>
  );
}

function RangeText({ range, window }: { range: TimeRange; window: TimeWindow | null }) {
  const { zone } = usePreferences();
  const edges =
    window === null
      ? EMPTY_RANGE
      : formatWindowEdges(window.start, window.end, zone, fromMilliseconds(Date.now()));
  return <span>{describeRelative(range) ?? edges}</span>;
}

import { Popover } from "radix-ui";
import { memo, useState } from "react";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { formatWindowEdges } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { describeRelative } from "../time/timeExpression";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { AbsoluteForm } from "./AbsoluteForm";
import { RelativeForm } from "./RelativeForm";
import styles from "./TimeRangePicker.module.css";
import { TypedRangeForm } from "./TypedRangeForm";

interface TimeRangePickerProps {
  readonly range: TimeRange;
  /** The range with fixed times, as it was searched; null if it is empty. */
  readonly window: TimeWindow | null;
  /** Size of the button that opens the panel: that of the buttons beside it. */
  readonly size?: "normal" | "large";
  readonly onChange: (range: TimeRange) => void;
}

export const TimeRangePicker = memo(function TimeRangePicker({
  range,
  window,
  size = "large",
  onChange,
}: TimeRangePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const { zone } = usePreferences();
  const edges =
    window === null
      ? "Empty range"
      : formatWindowEdges(window.start, window.end, zone, fromMilliseconds(Date.now()));
  const relative = describeRelative(range);
  const zoneName = zone === "utc" ? "UTC" : "local";
  const apply = (next: TimeRange) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button
          size={size}
          className={styles.trigger}
          title={edges}
          aria-label={`Time range: ${relative ?? `${edges} ${zoneName}`}`}
          data-testid={testIds.timeRange}
        >
          <Icon name="clock" />
          {relative === null ? (
            <span>
              {edges} <span className={styles.zone}>{zoneName}</span>
            </span>
          ) : (
            <span>{relative}</span>
          )}
          <Icon name="down" size={10} />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles.panel}
          align="end"
          sideOffset={8}
          collisionPadding={12}
          aria-label="Time range"
          data-testid={testIds.timeRangePanel}
        >
          <TypedRangeForm zone={zone} onApply={apply} />
          <RelativeForm range={range} onApply={apply} />
          <AbsoluteForm window={window} zone={zone} onApply={apply} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
});

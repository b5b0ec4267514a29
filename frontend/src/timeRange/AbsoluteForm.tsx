import type { FormEvent } from "react";
import { useState } from "react";
import { setPreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import type { TimeZoneChoice } from "../time/format";
import { fromInputValue, localOffset, toInputValue } from "../time/format";
import { fromMilliseconds, type Nanoseconds } from "../time/nanoseconds";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { absoluteRange } from "../time/timeExpression";
import { Button } from "../ui/Button";
import styles from "./TimeRangePicker.module.css";

interface AbsoluteFormProps {
  readonly window: TimeWindow | null;
  readonly zone: TimeZoneChoice;
  readonly onApply: (range: TimeRange) => void;
}

/** Form for a range between two fixed times, in the time zone of the page. */
export function AbsoluteForm({ window, zone, onApply }: AbsoluteFormProps) {
  // The page may search a later window while the form is open. The fields keep the times of the opening. In another zone
  // they show the same times with other digits, while typed digits stay.
  const [opened] = useState(window);
  const [typedFrom, setFrom] = useState<string | null>(null);
  const [typedTo, setTo] = useState<string | null>(null);
  const from = typedFrom ?? (opened === null ? "" : toInputValue(opened.start, zone));
  const to = typedTo ?? (opened === null ? "" : toInputValue(opened.end, zone));
  const start = instantOf(from, opened?.start, zone);
  const end = instantOf(to, opened?.end, zone);
  const isReady = start !== null && end !== null && start < end;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onApply(absoluteRange({ start, end }));
  };
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  /** Names the zone with its offset at this time, because the offset changes with the season; null stands for now. */
  const zoneName = (time: Nanoseconds | null) =>
    zone === "utc" ? "UTC" : `${browserZone}, UTC${localOffset(time ?? fromMilliseconds(Date.now()))}`;
  return (
    <form className={styles.absolute} onSubmit={submit}>
      <h2 className={styles.heading}>Between two times</h2>
      <fieldset className={styles.zones}>
        <legend className="visually-hidden">Times are in</legend>
        {(["local", "utc"] as const).map((choice) => (
          <Button
            key={choice}
            size="small"
            tone="ghost"
            pressed={choice === zone}
            title={`Show all times in ${choice === "utc" ? "UTC" : `the browser's zone, ${browserZone}`}`}
            onClick={() => setPreferences({ zone: choice })}
          >
            {choice === "utc" ? "UTC" : "Local"}
          </Button>
        ))}
      </fieldset>
      <label className={styles.label}>
        From <span className={styles.hint}>({zoneName(start)})</span>
        <input
          className={styles.input}
          type="datetime-local"
          step="1"
          value={from}
          data-testid={testIds.absoluteFrom}
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <label className={styles.label}>
        To <span className={styles.hint}>({zoneName(end)})</span>
        <input
          className={styles.input}
          type="datetime-local"
          step="1"
          value={to}
          data-testid={testIds.absoluteTo}
          onChange={(event) => setTo(event.target.value)}
        />
      </label>
      <p className={styles.hint} role="status">
        {start !== null && end !== null && start >= end ? "The range must end after it starts." : ""}
      </p>
      <Button type="submit" tone="primary" disabled={!isReady} data-testid={testIds.absoluteApply}>
        Apply range
      </Button>
    </form>
  );
}

/**
 * Returns the instant that a field means; null for text that is not a time. Text that the user has not changed means the
 * exact instant, because the text has no fraction of a second, and clocks show some times twice when they go back.
 */
function instantOf(text: string, opened: Nanoseconds | undefined, zone: TimeZoneChoice): Nanoseconds | null {
  const isUnchanged = opened !== undefined && text === toInputValue(opened, zone);
  return isUnchanged ? opened : fromInputValue(text, zone);
}

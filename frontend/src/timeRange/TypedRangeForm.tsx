import type { FormEvent } from "react";
import { useState } from "react";
import { testIds } from "../testIds";
import type { TimeZoneChoice } from "../time/format";
import { formatWindowEdges } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";
import { nowMs } from "../time/serverClock";
import type { TimeRange } from "../time/timeExpression";
import { describeRelative, resolveRange } from "../time/timeExpression";
import { parseTypedRange } from "../time/typedRange";
import { Button } from "../ui/Button";
import styles from "./TimeRangePicker.module.css";

interface TypedRangeFormProps {
  readonly zone: TimeZoneChoice;
  readonly onApply: (range: TimeRange) => void;
}

/** Form for a range in words or numbers. It shows the range that the text means. */
export function TypedRangeForm({ zone, onApply }: TypedRangeFormProps) {
  const [typed, setTyped] = useState("");
  const now = fromMilliseconds(nowMs());
  const range = parseTypedRange(typed, zone, now);
  const isUnreadable = typed.trim() !== "" && range === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (range !== null) onApply(range);
  };
  return (
    <form className={styles.typed} onSubmit={submit}>
      <label className={styles.label}>
        Type a range
        <input
          className={styles.input}
          value={typed}
          placeholder="last 90m, or 10:00 to 11:00"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isUnreadable}
          data-testid={testIds.relativeInput}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <Button type="submit" disabled={range === null}>
        Apply
      </Button>
      <p className={styles.hint} role="status" data-testid={testIds.typedRange}>
        {range === null ? explain(isUnreadable) : describe(range, zone)}
      </p>
    </form>
  );
}

function explain(isUnreadable: boolean): string {
  return isUnreadable
    ? "Not a range. Write last 90m, today, 10:00 to 11:00, or 2026-11-22 10:00 to 2026-11-22 11:00."
    : "Such as last 90m, yesterday, 10:00 to 11:00, or two ISO times.";
}

function describe(range: TimeRange, zone: TimeZoneChoice): string {
  const now = fromMilliseconds(nowMs());
  const window = resolveRange(range, now);
  const edges = window === null ? "" : formatWindowEdges(window.start, window.end, zone, now);
  return `${describeRelative(range) ?? "Between two times"}: ${edges}`;
}

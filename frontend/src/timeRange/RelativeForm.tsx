import type { FormEvent } from "react";
import { useState } from "react";
import { testIds } from "../testIds";
import { describeDuration, parseDuration } from "../time/duration";
import type { TimeRange } from "../time/timeExpression";
import { RELATIVE_PRESETS, relativeDuration, relativeRange } from "../time/timeExpression";
import { Button } from "../ui/Button";
import styles from "./TimeRangePicker.module.css";

interface RelativeFormProps {
  readonly range: TimeRange;
  readonly onApply: (range: TimeRange) => void;
}

/** Ranges that end now and move with it. */
export function RelativeForm({ range, onApply }: RelativeFormProps) {
  const [custom, setCustom] = useState("");
  const isReadable = parseDuration(custom) !== null;
  const current = relativeDuration(range);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReadable) onApply(relativeRange(custom));
  };
  return (
    <section className={styles.relative}>
      <h2 className={styles.heading}>Ending now</h2>
      <ul className={styles.presets}>
        {RELATIVE_PRESETS.map((preset) => (
          <li key={preset}>
            <button
              type="button"
              className={styles.preset}
              aria-current={preset === current}
              onClick={() => onApply(relativeRange(preset))}
            >
              <span>Past {describeDuration(preset)}</span>
              <code>{preset}</code>
            </button>
          </li>
        ))}
      </ul>
      <form className={styles.custom} onSubmit={submit}>
        <label className={styles.label}>
          Custom
          <input
            className={styles.input}
            value={custom}
            placeholder="90m"
            size={8}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={custom !== "" && !isReadable}
            data-testid={testIds.relativeInput}
            onChange={(event) => setCustom(event.target.value)}
          />
        </label>
        <Button type="submit" disabled={!isReadable}>
          Apply
        </Button>
        <p className={styles.hint} role="status">
          {custom !== "" && !isReadable ? "Write a number and s, m, h, d or w." : "Such as 90m, 1h30m or 2d."}
        </p>
      </form>
    </section>
  );
}

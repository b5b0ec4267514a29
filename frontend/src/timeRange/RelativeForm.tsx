import { describeDuration } from "../time/duration";
import type { TimeRange } from "../time/timeExpression";
import { RELATIVE_PRESETS, relativeDuration, relativeRange } from "../time/timeExpression";
import styles from "./TimeRangePicker.module.css";

interface RelativeFormProps {
  readonly range: TimeRange;
  readonly onApply: (range: TimeRange) => void;
}

/** Choices of ranges that end now and move with the time. */
export function RelativeForm({ range, onApply }: RelativeFormProps) {
  const current = relativeDuration(range);
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
    </section>
  );
}

import type { FieldValues } from "../api/types";
import { formatCompact, plural } from "../format/quantity";
import type { FieldFilter } from "../language/fieldFilter";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ROVING } from "../ui/useRoving";
import styles from "./Facets.module.css";

interface FacetValuesProps {
  readonly answer: FieldValues;
  /** Values that the query requires or excludes. They are listed even if they are not among the most frequent. */
  readonly filter: FieldFilter;
  readonly onOnly: (value: string) => void;
  readonly onWithout: (value: string) => void;
}

/** Lists the most frequent values of a field. A click adds a value to those that the query requires. */
export function FacetValues({ answer, filter, onOnly, onWithout }: FacetValuesProps) {
  const { name, values, complete, more } = answer;
  const counted = new Map(values.map(({ value, records }) => [value, records]));
  const filtered = new Set([...filter.only, ...filter.without].filter((value) => !counted.has(value)));
  return (
    <>
      <ul className={styles.values} aria-label={`Values of ${visibleText(name)}`}>
        {[...filtered, ...counted.keys()].map((value) => (
          <li
            key={value}
            className={styles.value}
            data-excluded={filter.without.includes(value)}
            data-only={filter.only.includes(value)}
          >
            <ValueButton
              answer={answer}
              value={value}
              found={counted.get(value)}
              filter={filter}
              onOnly={onOnly}
              onWithout={onWithout}
            />
            <IconButton
              label={`Exclude ${visibleText(name)} ${visibleText(value)}`}
              className={styles.without}
              pressed={filter.without.includes(value)}
              onClick={() => onWithout(value)}
              {...ROVING}
            >
              <Icon name="minus" />
            </IconButton>
          </li>
        ))}
      </ul>
      {(more || !complete || values.length === 0) && (
        <p className={styles.note}>
          {values.length === 0 ? "Too many different values to list." : "There are more values."}
        </p>
      )}
    </>
  );
}

interface ValueButtonProps extends FacetValuesProps {
  readonly value: string;
  /** Number of logs with the value; undefined if the value is not among the most frequent. */
  readonly found: number | undefined;
}

function ValueButton({ answer, value, found, filter, onOnly, onWithout }: ValueButtonProps) {
  const { records, complete } = answer;
  const logs = found === undefined ? "" : `, ${plural(found, "log")}`;
  return (
    <button
      type="button"
      className={styles.pick}
      aria-pressed={filter.only.includes(value)}
      title={`${visibleText(value)}${logs}. Click to filter for this value, click again to remove the filter. Alt-click to exclude the value.`}
      data-testid={testIds.facetValue}
      data-value={value}
      onClick={(event) => (event.altKey ? onWithout(value) : onOnly(value))}
      {...ROVING}
    >
      <span className={styles.bar} style={{ width: `${(100 * (found ?? 0)) / Math.max(records, 1)}%` }} />
      <span className={styles.text}>{value === "" ? "(empty)" : <LoggedText text={value} isOneLine />}</span>
      <span className={styles.count}>
        {found === undefined || complete ? "" : "~ "}
        {found === undefined ? "–" : formatCompact(found)}
      </span>
      <span className={styles.mark}>{filter.only.includes(value) && <Icon name="check" size={11} />}</span>
    </button>
  );
}

import { useId, useState } from "react";
import type { FieldValues } from "../api/types";
import { formatCompact, formatCount } from "../format/quantity";
import type { FilterBy } from "../language/editQuery";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import type { TimeWindow } from "../time/timeExpression";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ROVING } from "../ui/useRoving";
import styles from "./Facets.module.css";
import { useFieldValues } from "./fieldQueries";

interface FacetFieldProps {
  readonly name: string;
  readonly records: number;
  readonly query: string;
  readonly window: TimeWindow | null;
  readonly onFilter: FilterBy;
}

export function FacetField({ name, records, query, window, onFilter }: FacetFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const values = useFieldValues(query, window, name, isOpen);
  return (
    <li className={styles.field}>
      <button
        type="button"
        className={styles.name}
        aria-expanded={isOpen}
        aria-controls={listId}
        title={`${visibleText(name)}: ${formatCount(records)} logs`}
        data-testid={testIds.facet}
        data-field={name}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={({ key }) => {
          if (key === "ArrowRight") setOpen(true);
          if (key === "ArrowLeft") setOpen(false);
        }}
        {...ROVING}
      >
        <span className={styles.text}>
          <LoggedText text={name} isOneLine />
        </span>
        <span className={styles.count}>{formatCompact(records)}</span>
      </button>
      <div id={listId} hidden={!isOpen}>
        {isOpen && values.data !== undefined && (
          <ValueList answer={values.data} onFilter={(value, out) => onFilter(name, value, out)} />
        )}
        {isOpen && values.isPending && <p className={styles.note}>Counting…</p>}
        {isOpen && values.error !== null && <p className={styles.note}>The values cannot be shown.</p>}
      </div>
    </li>
  );
}

interface ValueListProps {
  readonly answer: FieldValues;
  readonly onFilter: (value: string, isExcluded: boolean) => void;
}

function ValueList({ answer, onFilter }: ValueListProps) {
  const { name, records, values, complete, more } = answer;
  return (
    <>
      <ul className={styles.values} aria-label={`Values of ${visibleText(name)}`}>
        {values.map(({ value, records: found }) => (
          <li key={value} className={styles.value}>
            <button
              type="button"
              className={styles.pick}
              title={`${formatCount(found)} logs: only these; with Alt without them`}
              data-testid={testIds.facetValue}
              data-value={value}
              onClick={(event) => onFilter(value, event.altKey)}
              {...ROVING}
            >
              <span className={styles.bar} style={{ width: `${(100 * found) / Math.max(records, 1)}%` }} />
              <span className={styles.text}>
                {value === "" ? "(empty)" : <LoggedText text={value} isOneLine />}
              </span>
              <span className={styles.count}>
                {complete ? "" : "~ "}
                {formatCompact(found)}
              </span>
            </button>
            <IconButton
              label={`Without ${visibleText(name)} ${visibleText(value)}`}
              className={styles.without}
              onClick={() => onFilter(value, true)}
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

import { memo, useId, useState } from "react";
import { ColumnToggle } from "../columns/ColumnToggle";
import { formatCompact, formatCount } from "../format/quantity";
import {
  type FieldFilter,
  NO_FILTER,
  readFieldFilter,
  setFieldFilter,
  toggleOnly,
  toggleWithout,
  withoutFieldFilter,
} from "../language/fieldFilter";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import type { TimeWindow } from "../time/timeExpression";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ROVING } from "../ui/useRoving";
import styles from "./Facets.module.css";
import { FacetValues } from "./FacetValues";
import { useFieldValues } from "./fieldQueries";

/** Edits the text of the query bar and runs the search with the result. */
export type EditQuery = (edit: (query: string) => string) => void;

interface FacetFieldProps {
  readonly name: string;
  readonly records: number;
  readonly query: string;
  /** The query's filter on the field; undefined if it has none. */
  readonly filter: FieldFilter | undefined;
  readonly window: TimeWindow | null;
  readonly onEdit: EditQuery;
}

/** Shows a field with its number of records. It opens to show its values. */
export const FacetField = memo(function FacetField(props: FacetFieldProps) {
  const { name, records, filter = NO_FILTER, onEdit } = props;
  const [isOpen, setOpen] = useState(false);
  const [isPointedAt, setPointedAt] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const listId = useId();
  const isFiltered = filter.only.length + filter.without.length > 0;
  const change = (next: (filter: FieldFilter) => FieldFilter) =>
    onEdit((text) => setFieldFilter(text, name, next(readFieldFilter(text, name))));
  return (
    <li>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it has no action, and only shows the button beside the pointer or the focus */}
      <div
        className={styles.value}
        onPointerEnter={() => setPointedAt(true)}
        onPointerLeave={() => setPointedAt(false)}
        onFocus={() => setFocused(true)}
        onBlur={({ currentTarget, relatedTarget }) => setFocused(currentTarget.contains(relatedTarget))}
      >
        <button
          type="button"
          className={styles.name}
          aria-expanded={isOpen}
          aria-controls={listId}
          title={`${visibleText(name)}: ${formatCount(records)} logs`}
          data-testid={testIds.facet}
          data-field={name}
          data-filtered={isFiltered}
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
        {(isOpen || isPointedAt || isFocused) && <ColumnToggle field={name} {...ROVING} />}
        {isFiltered && (
          <IconButton
            label={`Remove the filters of ${visibleText(name)}`}
            data-testid={testIds.facetClear}
            onClick={() => change(() => NO_FILTER)}
            {...ROVING}
          >
            <Icon name="close" size={10} />
          </IconButton>
        )}
      </div>
      <div id={listId} hidden={!isOpen}>
        {isOpen && <OpenField {...props} filter={filter} onChange={change} />}
      </div>
    </li>
  );
});

interface OpenFieldProps extends FacetFieldProps {
  readonly filter: FieldFilter;
  readonly onChange: (next: (filter: FieldFilter) => FieldFilter) => void;
}

/** Shows the values of an open field, counted without the query's filter on that field. */
function OpenField({ name, query, filter, window, onChange }: OpenFieldProps) {
  const values = useFieldValues(withoutFieldFilter(query, name), window, name);
  return (
    <>
      {values.data !== undefined && (
        <FacetValues
          answer={values.data}
          filter={filter}
          onOnly={(value) => onChange((present) => toggleOnly(present, value))}
          onWithout={(value) => onChange((present) => toggleWithout(present, value))}
        />
      )}
      {values.isPending && <p className={styles.note}>Counting…</p>}
      {values.error !== null && <p className={styles.note}>The values cannot be shown.</p>}
    </>
  );
}

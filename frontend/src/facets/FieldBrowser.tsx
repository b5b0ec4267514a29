import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import type { FieldList } from "../api/types";
import { formatCount } from "../format/quantity";
import { readFieldFilters } from "../language/fieldFilter";
import { testIds } from "../testIds";
import type { TimeWindow } from "../time/timeExpression";
import { RetryButton } from "../ui/RetryButton";
import { useRoving } from "../ui/useRoving";
import { type EditQuery, FacetField } from "./FacetField";
import styles from "./Facets.module.css";
import { inListOrder } from "./fieldOrder";

export interface FieldBrowserProps {
  readonly query: string;
  readonly window: TimeWindow | null;
  readonly list: UseQueryResult<FieldList>;
  readonly onEdit: EditQuery;
  /** The control that hides the fields, beside the search for a field. */
  readonly children: React.ReactNode;
}

/** The fields of matching records with a search by name. Each field opens to show its most frequent values. */
export function FieldBrowser({ query, window, list, onEdit, children }: FieldBrowserProps) {
  const [sought, setSought] = useState("");
  const names = useRef<HTMLUListElement>(null);
  useRoving(names);
  const filters = useMemo(() => readFieldFilters(query), [query]);
  const fields = window === null ? [] : inListOrder(list.data?.fields ?? []);
  const shown = fields.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <>
      <div className={styles.head}>
        <input
          className={styles.seek}
          type="search"
          placeholder="Find a field"
          aria-label="Find a field"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
        {children}
      </div>
      <ul ref={names} className={styles.fields} aria-busy={list.isFetching}>
        {shown.map(({ name, records }) => (
          <FacetField
            key={name}
            name={name}
            records={records}
            query={query}
            filter={filters.get(name)}
            window={window}
            onEdit={onEdit}
          />
        ))}
      </ul>
      <p className={styles.note}>
        {window === null ? "No fields: the time range is empty." : noteOf(list, shown.length)}
      </p>
      {list.error !== null && <RetryButton data-testid={testIds.facetsRetry} />}
    </>
  );
}

function noteOf(list: UseQueryResult<FieldList>, shown: number): string {
  if (list.error !== null) return "The fields cannot be shown.";
  if (list.data === undefined) return "Counting…";
  if (shown === 0) return "No fields.";
  const { basis, sampled, complete } = list.data;
  if (basis === "newest" && !complete)
    return `Counts of the newest ${formatCount(sampled ?? 0)} matching logs.`;
  return basis === "newest" ? "Counts of all matching logs." : "Counts of whole quarters of an hour.";
}

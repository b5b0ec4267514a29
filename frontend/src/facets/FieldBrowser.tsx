import { useMemo, useRef, useState } from "react";
import { asProblem } from "../api/problem";
import { formatCount } from "../format/quantity";
import { readFieldFilters } from "../language/fieldFilter";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { formatWindowEdges, type TimeZoneChoice } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import { Button } from "../ui/Button";
import { RetryButton } from "../ui/RetryButton";
import { useRoving } from "../ui/useRoving";
import { type EditQuery, FacetField } from "./FacetField";
import styles from "./Facets.module.css";
import { inGroups, inListOrder } from "./fieldOrder";
import type { FoundFields } from "./fieldQueries";

/** Number of fields that are listed before the user opens the full list. Fields with most records come first. */
const FIRST_FIELDS = 100;

export interface FieldBrowserProps {
  readonly query: string;
  readonly window: TimeWindow | null;
  readonly list: FoundFields;
  readonly onEdit: EditQuery;
  /** The control that hides the fields, beside the search for a field. */
  readonly children: React.ReactNode;
}

/** The fields of matching records in groups, with a search by name. Each field opens to show its most frequent values. */
export function FieldBrowser({ query, window, list, onEdit, children }: FieldBrowserProps) {
  const [sought, setSought] = useState("");
  const names = useRef<HTMLDivElement>(null);
  useRoving(names);
  const { zone } = usePreferences();
  const filters = useMemo(() => readFieldFilters(query), [query]);
  const fields = window === null ? [] : inListOrder(list.data?.fields ?? []);
  const [limit, setLimit] = useState(FIRST_FIELDS);
  const found = fields.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  const shown = found.slice(0, limit);
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
      <div ref={names} className={styles.fields} aria-busy={list.isFetching}>
        {inGroups(shown).map(({ heading, fields: inside }) => (
          <section key={heading} aria-label={heading}>
            <h3 className={styles.heading}>{heading}</h3>
            <ul className={styles.group}>
              {inside.map(({ name, records }) => (
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
          </section>
        ))}
      </div>
      {found.length > shown.length && (
        <Button size="small" tone="ghost" data-testid={testIds.facetsMore} onClick={() => setLimit(Infinity)}>
          Show all {formatCount(found.length)} fields
        </Button>
      )}
      <p className={styles.note}>
        {window === null ? "No fields: the time range is empty." : noteOf(list, shown.length, window, zone)}
      </p>
      {list.error !== null && !asProblem(list.error).isAboutQuery && (
        <RetryButton data-testid={testIds.facetsRetry} />
      )}
    </>
  );
}

function noteOf(list: FoundFields, shown: number, window: TimeWindow, zone: TimeZoneChoice): string {
  if (list.error !== null)
    return asProblem(list.error).isAboutQuery
      ? "Correct the query to see its fields."
      : "The fields cannot be shown.";
  if (list.isCancelled)
    return list.data === undefined
      ? "No fields: this search was cancelled."
      : "Counts of the previous search, because this search was cancelled.";
  if (list.data === undefined) return "Counting…";
  if (shown === 0) return "No fields.";
  const { basis, sampled, complete, start, end } = list.data;
  if (basis === "newest" && !complete)
    return `Counts of the newest ${formatCount(sampled ?? 0)} matching logs.`;
  const [first, last] = [parseRfc3339(start), parseRfc3339(end)];
  if (basis === "newest" || first === null || last === null) return "Counts of all matching logs.";
  if (first === window.start && last === window.end) return "Counts of all logs in the range.";
  const edges = formatWindowEdges(first, last, zone, window.end);
  return `Counts of the logs from ${edges}. The range has too many logs or fields to count exactly, so the counts cover only its whole quarter-hours.`;
}

import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { FieldList } from "../api/types";
import { formatCount } from "../format/quantity";
import type { FilterBy } from "../language/editQuery";
import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import type { TimeWindow } from "../time/timeExpression";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { RetryButton } from "../ui/RetryButton";
import { FacetField } from "./FacetField";
import styles from "./Facets.module.css";

interface FacetPanelProps {
  readonly query: string;
  readonly window: TimeWindow | null;
  readonly list: UseQueryResult<FieldList>;
  readonly onFilter: FilterBy;
}

/** The fields of matching records, beside the results. Each field opens to show its most frequent values. */
export function FacetPanel({ query, window, list, onFilter }: FacetPanelProps) {
  const { facets } = usePreferences();
  const [sought, setSought] = useState("");
  const fields = window === null ? [] : (list.data?.fields ?? []);
  const shown = fields.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <aside className={styles.panel} data-open={facets} aria-label="Fields" data-testid={testIds.facets}>
      <div className={styles.head}>
        {facets && (
          <input
            className={styles.seek}
            type="search"
            placeholder="Find a field"
            aria-label="Find a field"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        )}
        <IconButton
          label={facets ? "Hide the fields" : "Show the fields"}
          aria-expanded={facets}
          data-testid={testIds.facetsToggle}
          onClick={() => setPreferences({ facets: !facets })}
        >
          <Icon name={facets ? "close" : "plan"} />
        </IconButton>
      </div>
      {facets && (
        <>
          <ul className={styles.fields} aria-busy={list.isFetching}>
            {shown.map(({ name, records }) => (
              <FacetField
                key={name}
                name={name}
                records={records}
                query={query}
                window={window}
                onFilter={onFilter}
              />
            ))}
          </ul>
          <p className={styles.note}>
            {window === null ? "No fields: the time range is empty." : noteOf(list, shown.length)}
          </p>
          {list.error !== null && <RetryButton data-testid={testIds.facetsRetry} />}
        </>
      )}
    </aside>
  );
}

function noteOf(list: UseQueryResult<FieldList>, shown: number): string {
  if (list.error !== null) return "The fields cannot be shown.";
  if (list.data === undefined) return "Counting…";
  if (shown === 0) return "No fields.";
  const { basis, sampled, complete } = list.data;
  if (basis === "newest" && !complete) return `Of the newest ${formatCount(sampled ?? 0)} matching logs.`;
  return basis === "newest" ? "Of all matching logs." : "Counted by quarters of an hour.";
}

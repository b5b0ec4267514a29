import type { Log } from "../api/types";
import type { FilterBy } from "../language/editQuery";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import type { SearchState } from "../url/searchState";
import { BodyView } from "./BodyView";
import styles from "./DetailPanel.module.css";
import { FieldRow } from "./FieldRow";
import { fieldGroups } from "./recordFields";
import { TimesTable } from "./TimesTable";
import { traceSearch } from "./traceSearch";

interface RecordViewProps {
  readonly record: Log;
  readonly query: string;
  readonly onFilter: FilterBy;
  readonly onSearch: (search: Partial<SearchState>) => void;
}

/** All fields of one record. */
export function RecordView({ record, query, onFilter, onSearch }: RecordViewProps) {
  const trace = traceSearch(record);
  return (
    <div key={record.id}>
      <BodyView body={record.body} truncatedBytes={record.body_truncated_bytes} query={query} />
      <TimesTable timestamp={record.timestamp} observed={record.observed_timestamp} />
      {fieldGroups(record).map(({ title, fields }) => (
        <section key={title} aria-label={title}>
          <div className={styles.groupHead}>
            <h3>{title}</h3>
            {title === "Trace" && trace !== null && (
              <Button
                size="small"
                tone="ghost"
                title="Search for all records of this trace, oldest first"
                data-testid={testIds.traceLogs}
                onClick={() => onSearch(trace)}
              >
                All logs of this trace
              </Button>
            )}
          </div>
          <dl className={styles.fields}>
            {fields.map((field) => (
              <FieldRow key={field.name} field={field} onFilter={onFilter} />
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

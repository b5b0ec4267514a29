import { Link, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { valueText } from "../api/logJson";
import type { Log } from "../api/types";
import { LazyValueTree } from "../jsonTree/LazyValueTree";
import type { FilterBy } from "../language/editQuery";
import { noMatches } from "../language/matchRanges";
import { testIds } from "../testIds";
import { buttonClass } from "../ui/Button";
import { BodyView } from "./BodyView";
import styles from "./DetailPanel.module.css";
import { FieldRow } from "./FieldRow";
import { type FieldGroup, fieldGroups } from "./recordFields";
import { TimesTable } from "./TimesTable";

interface RecordViewProps {
  readonly record: Log;
  readonly query: string;
  readonly onFilter: FilterBy;
  readonly onTerm: (term: string) => void;
}

/** All fields of one record. */
export function RecordView({ record, query, onFilter, onTerm }: RecordViewProps) {
  return (
    <div key={record.id}>
      <BodyView
        body={record.body}
        truncatedBytes={record.body_truncated_bytes}
        query={query}
        onFilter={onFilter}
        onTerm={onTerm}
      />
      <TimesTable timestamp={record.timestamp} observed={record.observed_timestamp} />
      {fieldGroups(record).map((group) => (
        <section key={group.title} aria-label={group.title}>
          <div className={styles.groupHead}>
            <h3>{group.title}</h3>
            {group.title === "Trace" && record.trace_id !== "" && <TraceLink traceId={record.trace_id} />}
          </div>
          <GroupFields record={record} group={group} onFilter={onFilter} onTerm={onTerm} />
        </section>
      ))}
    </div>
  );
}

/** Opens the page of the record's trace, which leads back to the search and its open record. */
function TraceLink({ traceId }: { traceId: string }) {
  const search = useSearch({ from: "/" });
  return (
    <Link
      to="/trace/$traceId"
      params={{ traceId }}
      state={{ openedFrom: search }}
      className={buttonClass("plain", "small")}
      data-testid={testIds.traceLogs}
    >
      Logs of this trace
    </Link>
  );
}

interface GroupFieldsProps {
  readonly record: Log;
  readonly group: FieldGroup;
  readonly onFilter: FilterBy;
  readonly onTerm: (term: string) => void;
}

/** Shows attributes as a tree, because their values may be nested, and fields of the record itself as a list. */
function GroupFields({ record, group, onFilter, onTerm }: GroupFieldsProps) {
  const { title, member, fields } = group;
  const source = useMemo(() => (member === null ? null : valueText(record[member])), [record, member]);
  const list = (
    <dl className={styles.fields}>
      {fields.map((field) => (
        <FieldRow key={field.name} field={field} onFilter={onFilter} />
      ))}
    </dl>
  );
  if (source === null || member === null) return list;
  return (
    <LazyValueTree
      label={title}
      source={source}
      member={member}
      matcher={noMatches}
      fallback={list}
      onFilter={onFilter}
      onTerm={onTerm}
    />
  );
}

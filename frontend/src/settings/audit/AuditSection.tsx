import { useInfiniteQuery, useIsMutating } from "@tanstack/react-query";
import type { AuditEntry } from "../../api/types";
import { usePreferences } from "../../preferences/preferences";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { LoggedText } from "../../text/LoggedText";
import { shownSecond } from "../../time/shownTime";
import { Button } from "../../ui/Button";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";
import { actionText, changesOf, subjectOf } from "./auditText";

const HEADS = ["Time", "Change", "Values", "By"];

/** Shows the changes to the tenant with their authors, newest first. */
export function AuditSection() {
  const { api, tenant } = useAdmin();
  const changes = useIsMutating();
  const pages = useInfiniteQuery({
    queryKey: [ADMIN_QUERIES, "audit", tenant.name],
    queryFn: ({ pageParam, signal }) => api.audit(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 0,
    // The first read waits for running changes: a page that is read before a change is saved lacks the entry of the
    // change, and an invalidation does not repeat a first read.
    enabled: changes === 0,
  });
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <PageSection title="Audit log">
      <p className={styles.text}>
        Every change to this tenant, its keys, limits, rules, views, dashboards and alert rules. Entries
        contain no secrets and are kept for 400 days by default.
      </p>
      {!pages.isFetchNextPageError && <LoadProblem of={pages} />}
      {pages.isSuccess && entries.length === 0 && <p className={styles.empty}>No changes are recorded.</p>}
      {entries.length > 0 && <EntryTable entries={entries} />}
      {pages.isFetchNextPageError && (
        <LoadProblem of={{ isError: true, error: pages.error, refetch: pages.fetchNextPage }} />
      )}
      {pages.hasNextPage && (
        <div className={styles.actions}>
          <Button
            onClick={() => void pages.fetchNextPage()}
            disabled={pages.isFetchingNextPage}
            data-testid={testIds.auditMore}
          >
            Show older entries
          </Button>
        </div>
      )}
    </PageSection>
  );
}

function EntryTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { zone } = usePreferences();
  return (
    <ScrolledTable label="Entries of the audit log" heads={HEADS} isStacked>
      {entries.map((entry) => (
        <tr key={entry.id} data-testid={testIds.auditEntry}>
          <td className={styles.nowrap} data-head="Time">
            {shownSecond(entry.at, zone)}
          </td>
          <td data-head="Change">
            {actionText(entry.action)}
            <ChangedObject entry={entry} />
          </td>
          <td data-head="Values">
            <Changes entry={entry} />
          </td>
          <td data-head="By">
            <LoggedText text={entry.actor} />
            {entry.address !== null && (
              <>
                <br />
                <span className={styles.muted}>from {entry.address}</span>
              </>
            )}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

/** Name of the changed object, or its id if the entry has no name. */
function ChangedObject({ entry }: { entry: AuditEntry }) {
  const subject = subjectOf(entry);
  if (subject === null) return null;
  return (
    <div className={styles.muted} title={subject.id}>
      {subject.name === null ? <code>{subject.id}</code> : <LoggedText text={subject.name} />}
    </div>
  );
}

function Changes({ entry }: { entry: AuditEntry }) {
  return changesOf(entry).map(({ name, before, after }) => (
    <div key={name}>
      <span className={styles.muted}>{name}:</span> {before !== null && <Value text={before} />}
      {before !== null && after !== null && " → "}
      {after === null ? <span className={styles.muted}> (removed)</span> : <Value text={after} />}
    </div>
  ));
}

/** Characters of a value that are shown before it is unfolded. */
const FOLDED_LENGTH = 160;

function Value({ text }: { text: string }) {
  if (text.length > FOLDED_LENGTH)
    return (
      <details className={styles.folded}>
        <summary>
          <code>
            <LoggedText text={`${text.slice(0, FOLDED_LENGTH)}…`} />
          </code>
        </summary>
        <code>
          <LoggedText text={text} />
        </code>
      </details>
    );
  return (
    <code>
      <LoggedText text={text} />
    </code>
  );
}

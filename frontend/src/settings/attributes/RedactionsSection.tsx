import { useMutation, useQuery } from "@tanstack/react-query";
import { asProblem, sentence } from "../../api/problem";
import type { BodyRedaction } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Message } from "../../ui/Form";
import { Icon } from "../../ui/Icon";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";
import { useReread } from "../useReread";
import { NewRedactionForm } from "./NewRedactionForm";

const HEADS = ["Redaction", "Finds", "Applies to", ""];

/** Shows and removes redactions, the patterns whose matches in bodies are stored as ***. */
export function RedactionsSection() {
  const { api, tenant } = useAdmin();
  const queryKey = [ADMIN_QUERIES, "redactions", tenant.name];
  const refetch = useReread("redactions", tenant.name);
  const redactions = useQuery({ queryKey, queryFn: ({ signal }) => api.redactions(signal), staleTime: 0 });
  const removed = useMutation({
    mutationFn: ({ name }: BodyRedaction) => api.removeRedaction(name),
    onSuccess: refetch,
  });
  return (
    <PageSection title="Redactions in messages">
      <p className={styles.text}>
        Matches of a redaction in the body of a record are stored as <code>***</code>. A change takes effect
        within 5 seconds, for records that arrive later.
      </p>
      <NewRedactionForm onAdded={refetch} />
      {removed.isError && <Message>{sentence(asProblem(removed.error).message)}</Message>}
      <LoadProblem of={redactions} />
      {redactions.data?.length === 0 && (
        <p className={styles.empty}>No redactions: bodies are stored as sent.</p>
      )}
      {redactions.data !== undefined && redactions.data.length > 0 && (
        <RedactionTable redactions={redactions.data} onRemove={removed.mutate} />
      )}
    </PageSection>
  );
}

interface RedactionTableProps {
  readonly redactions: readonly BodyRedaction[];
  readonly onRemove: (redaction: BodyRedaction) => void;
}

function RedactionTable({ redactions, onRemove }: RedactionTableProps) {
  return (
    <ScrolledTable label="List of redactions" heads={HEADS} isStacked>
      {redactions.map((redaction) => (
        <tr key={`${redaction.tenant}/${redaction.name}`} data-testid={testIds.redactionRow}>
          <th scope="row">
            <code>{redaction.name}</code>
          </th>
          <td data-head="Finds">
            {redaction.expression === null ? "built in" : <code>{redaction.expression}</code>}
          </td>
          <td data-head="Applies to">{redaction.tenant === null ? "all tenants" : "this tenant"}</td>
          <td data-align="right">
            {redaction.tenant !== null && (
              <IconButton
                label={`Remove the redaction ${redaction.name}`}
                onClick={() => onRemove(redaction)}
              >
                <Icon name="trash" />
              </IconButton>
            )}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

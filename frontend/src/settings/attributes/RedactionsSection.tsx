import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { asProblem, sentence } from "../../api/problem";
import type { BodyRedaction } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { IconButton } from "../../ui/Button";
import { Message } from "../../ui/Form";
import { Icon } from "../../ui/Icon";
import { LoadProblem } from "../LoadProblem";
import styles from "../Section.module.css";
import { useAdmin } from "../useAdmin";
import { NewRedactionForm } from "./NewRedactionForm";

/** Patterns whose matches in bodies are stored as ***. */
export function RedactionsSection() {
  const { api, tenant } = useAdmin();
  const queryClient = useQueryClient();
  const queryKey = [ADMIN_QUERIES, "redactions", tenant.name];
  const refetch = () => queryClient.invalidateQueries({ queryKey });
  const redactions = useQuery({ queryKey, queryFn: ({ signal }) => api.redactions(signal), staleTime: 0 });
  const removed = useMutation({
    mutationFn: ({ name }: BodyRedaction) => api.removeRedaction(name),
    onSuccess: refetch,
  });
  return (
    <section className={styles.section} aria-labelledby="redactions-title">
      <div className={styles.head}>
        <h2 id="redactions-title">Texts in bodies</h2>
      </div>
      <p className={styles.text}>
        What a redaction finds in the body of a record is stored as <code>***</code>. It applies within 5
        seconds to records that arrive after that.
      </p>
      <NewRedactionForm onAdded={refetch} />
      {removed.isError && <Message>{sentence(asProblem(removed.error).message)}</Message>}
      {redactions.isError && (
        <LoadProblem error={redactions.error} onRetry={() => void redactions.refetch()} />
      )}
      {redactions.data?.length === 0 && (
        <p className={styles.empty}>No redactions: bodies are stored as sent.</p>
      )}
      {redactions.data !== undefined && redactions.data.length > 0 && (
        <RedactionTable redactions={redactions.data} onRemove={removed.mutate} />
      )}
    </section>
  );
}

interface RedactionTableProps {
  readonly redactions: readonly BodyRedaction[];
  readonly onRemove: (redaction: BodyRedaction) => void;
}

function RedactionTable({ redactions, onRemove }: RedactionTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys only where it can have the focus
    <section className={styles.scroller} tabIndex={0} aria-label="List of redactions">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Redaction</th>
            <th scope="col">Finds</th>
            <th scope="col">Applies to</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {redactions.map((redaction) => (
            <tr key={`${redaction.tenant}/${redaction.name}`} data-testid={testIds.redactionRow}>
              <th scope="row">
                <code>{redaction.name}</code>
              </th>
              <td>{redaction.expression === null ? "built in" : <code>{redaction.expression}</code>}</td>
              <td>{redaction.tenant === null ? "all tenants" : "this tenant"}</td>
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
        </tbody>
      </table>
    </section>
  );
}

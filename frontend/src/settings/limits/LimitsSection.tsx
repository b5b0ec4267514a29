import { testIds } from "../../testIds";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";
import { LimitsForm } from "./LimitsForm";
import { LIMIT_FIELDS, limitOf, shownLimit } from "./limitFields";

const HEADS = ["Limit", "Value", "What it means"];
const NUMBERS = ["Value"];

/** Shows the tenant's limits and retention. Operators can change them. */
export function LimitsSection() {
  const { tenant, isOperator } = useAdmin();
  return (
    <PageSection title="Limits and retention">
      <p className={styles.text}>
        {isOperator
          ? "Leave a rate or quota empty for no limit. Leave concurrent searches or partitions empty for the installation's default. Retention and body size always have a value."
          : "Limits protect the installation, so only an operator's admin key (tenant _operator) can change them."}
      </p>
      {isOperator ? <LimitsForm /> : <LimitsTable />}
      <p className={styles.text}>
        Lane {tenant.lane}, cohort <code>{tenant.cohort_in_force}</code>: where the tenant's records are
        stored.
        {tenant.cohort !== tenant.cohort_in_force && (
          <>
            {" "}
            Records that arrive after the change takes effect are stored in cohort{" "}
            <code>{tenant.cohort}</code>.
          </>
        )}
      </p>
    </PageSection>
  );
}

function LimitsTable() {
  const { tenant } = useAdmin();
  return (
    <ScrolledTable label="Limits" heads={HEADS} numbers={NUMBERS} isStacked data-testid={testIds.limits}>
      {LIMIT_FIELDS.map((field) => (
        <tr key={field.name}>
          <th scope="row" className={styles.nowrap}>
            {field.label}
          </th>
          <td data-align="right" data-head="Value">
            {shownLimit(limitOf(tenant, field.name), field)}
          </td>
          <td className={styles.sentence} data-head="What it means">
            {field.hint}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

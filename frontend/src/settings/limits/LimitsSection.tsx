import { testIds } from "../../testIds";
import styles from "../Section.module.css";
import { useAdmin } from "../useAdmin";
import { LimitsForm } from "./LimitsForm";
import { LIMIT_FIELDS, limitOf, shownLimit } from "./limitFields";

/** How much the tenant may send and search, and how long its records are kept. Operators can change it. */
export function LimitsSection() {
  const { tenant, isOperator } = useAdmin();
  return (
    <section className={styles.section} aria-labelledby="limits-title">
      <div className={styles.head}>
        <h2 id="limits-title">Limits and retention</h2>
      </div>
      <p className={styles.text}>
        {isOperator
          ? "Changes apply within 10 seconds. An empty field has no limit of its own."
          : "Limits protect the installation, so only an operator's admin key (tenant _operator) can change them."}
      </p>
      {isOperator ? <LimitsForm key={JSON.stringify(tenant)} /> : <LimitsTable />}
      <p className={styles.text}>
        Lane {tenant.lane}, cohort <code>{tenant.cohort}</code>: where the tenant's records are stored.
      </p>
    </section>
  );
}

function LimitsTable() {
  const { tenant } = useAdmin();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys only where it can have the focus
    <section className={styles.scroller} tabIndex={0} aria-label="Limits" data-testid={testIds.limits}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" data-align="right">
              Value
            </th>
            <th scope="col">What it means</th>
          </tr>
        </thead>
        <tbody>
          {LIMIT_FIELDS.map((field) => (
            <tr key={field.name}>
              <th scope="row" className={styles.nowrap}>
                {field.label}
              </th>
              <td data-align="right">{shownLimit(limitOf(tenant, field.name), field)}</td>
              <td className={styles.muted}>{field.hint}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Alert } from "../api/types";
import { Lead, Page } from "../layout/Page";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { shownSecond } from "../time/shownTime";
import { Button } from "../ui/Button";
import { LoadProblem } from "../ui/section/LoadProblem";
import { PageSection } from "../ui/section/PageSection";
import { ScrolledTable } from "../ui/section/ScrolledTable";
import styles from "../ui/section/Section.module.css";
import { AlertDetail } from "./AlertDetail";
import { AlertFormDialog } from "./AlertFormDialog";
import { useAlertList } from "./alertQueries";
import { conditionText } from "./alertText";
import { StateBadge } from "./StateBadge";

/** The tenant's alert rules with their states, or one rule with its groups and its history. */
export function AlertsPage() {
  const { id } = useParams({ from: "/alerts/{-$id}" });
  return (
    <Page title="Alerts" isWide data-testid={testIds.alerts}>
      {id === undefined ? <AlertList /> : <AlertDetail key={id} id={id} />}
    </Page>
  );
}

const HEADS = ["Rule", "State", "Condition", "Severity", "Evaluated"];

function AlertList() {
  const listed = useAlertList();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const alerts = listed.data ?? [];
  return (
    <>
      <Lead>
        A rule computes numbers over logs at fixed intervals, and sends notices when a number crosses the
        rule's threshold. All users of the tenant share the rules.
      </Lead>
      <PageSection
        title="Rules"
        controls={
          <Button tone="primary" data-testid={testIds.alertNew} onClick={() => setNew(true)}>
            New rule
          </Button>
        }
      >
        <LoadProblem of={listed} />
        {listed.data !== undefined && alerts.length === 0 && (
          <p className={styles.empty}>
            No rules yet. For example, a rule can count the errors of each service.
          </p>
        )}
        {alerts.length > 0 && (
          <ScrolledTable label="List of alert rules" heads={HEADS}>
            {alerts.map((alert) => (
              <AlertRow key={alert.id} alert={alert} />
            ))}
          </ScrolledTable>
        )}
      </PageSection>
      {isNew && (
        <AlertFormDialog
          alert={null}
          onClose={() => setNew(false)}
          onSaved={({ id }) => void navigate({ to: "/alerts/{-$id}", params: { id }, ignoreBlocker: true })}
        />
      )}
    </>
  );
}

function AlertRow({ alert }: { alert: Alert }) {
  const { zone } = usePreferences();
  return (
    <tr data-testid={testIds.alertRow}>
      <th scope="row">
        <Link to="/alerts/{-$id}" params={{ id: alert.id }}>
          <LoggedText text={alert.name} />
        </Link>
      </th>
      <td>
        <StateBadge alert={alert} />
      </td>
      <td>
        <code>{conditionText(alert)}</code>
      </td>
      <td>{alert.severity}</td>
      <td className={styles.nowrap}>
        {alert.evaluated_at === null ? "not yet" : shownSecond(alert.evaluated_at, zone)}
      </td>
    </tr>
  );
}

import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Alert, AlertHistory, AlertStatus } from "../api/types";
import { cellText } from "../chart/cellText";
import { splitStats } from "../language/statsStage";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { shownSecond } from "../time/shownTime";
import { LoadProblem } from "../ui/section/LoadProblem";
import { PageSection } from "../ui/section/PageSection";
import { ScrolledTable } from "../ui/section/ScrolledTable";
import styles from "../ui/section/Section.module.css";
import { useWhileShown } from "../ui/useWhileShown";
import { DEFAULT_STATE } from "../url/searchState";
import { AlertActions } from "./AlertActions";
import { AlertFormDialog } from "./AlertFormDialog";
import { useAlertHistory, useAlertStatus } from "./alertQueries";
import { alertGroupText, conditionText, muteEnd, rangeOfSeconds, secondsText } from "./alertText";
import { StateBadge } from "./StateBadge";

/** One rule: its definition, its pending and firing groups, its changes of state and its notices. */
export function AlertDetail({ id }: { id: string }) {
  const status = useAlertStatus(id);
  const history = useAlertHistory(id);
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const { data } = status;
  const showList = useWhileShown(() => void navigate({ to: "/alerts/{-$id}", params: { id: undefined } }));
  return (
    <>
      <p className={styles.text} style={{ marginBottom: 16 }}>
        <Link to="/alerts/{-$id}" params={{ id: undefined }}>
          All rules
        </Link>
      </p>
      <LoadProblem of={status} />
      {data !== undefined && (
        <>
          <PageSection
            title={visibleText(data.alert.name)}
            controls={<AlertActions alert={data.alert} onEdit={() => setEdited(true)} onDeleted={showList} />}
          >
            <Definition alert={data.alert} />
          </PageSection>
          <Groups groups={data.groups} />
        </>
      )}
      <LoadProblem of={history} />
      {history.data !== undefined && <History history={history.data} />}
      {isEdited && data !== undefined && (
        <AlertFormDialog alert={data.alert} onClose={() => setEdited(false)} onSaved={() => {}} />
      )}
    </>
  );
}

function Definition({ alert }: { alert: Alert }) {
  const { zone } = usePreferences();
  const { query, stats } = splitStats(alert.query);
  const range = rangeOfSeconds(alert.range_seconds);
  const search = { ...DEFAULT_STATE, ...range, query, stats: stats ?? "", mode: "chart" } as const;
  const mutedUntil = muteEnd(alert);
  return (
    <>
      <p className={styles.text}>
        <StateBadge alert={alert} />
        {alert.detail !== "" && (
          <>
            {" "}
            <LoggedText text={alert.detail} />
          </>
        )}
      </p>
      <p className={styles.text}>
        Fires if{" "}
        <code>
          <LoggedText text={conditionText(alert)} />
        </code>
        . The numbers come from{" "}
        <code>
          <LoggedText text={alert.query} />
        </code>{" "}
        over the last {secondsText(alert.range_seconds)} (
        <Link to="/" search={search}>
          show its numbers
        </Link>
        ). Evaluated every {secondsText(alert.interval_seconds)}
        {alert.evaluated_at === null ? "" : `, last at ${shownSecond(alert.evaluated_at, zone)}`}. Severity{" "}
        {alert.severity}.
      </p>
      <p className={styles.text}>
        {alert.channels.length === 0
          ? "Sends no notices: edit the rule to add a channel."
          : `Sends notices to ${visibleText(alert.channels.map(({ kind, destination }) => `${destination} (${kind})`).join(", "))}.`}
        {mutedUntil !== null && ` Muted until ${shownSecond(mutedUntil, zone)}.`}
      </p>
    </>
  );
}

function Groups({ groups }: { groups: AlertStatus["groups"] }) {
  const { zone } = usePreferences();
  return (
    <PageSection title="Pending and firing groups">
      {groups.length === 0 ? (
        <p className={styles.empty}>No group is pending or firing.</p>
      ) : (
        <ScrolledTable
          label="Pending and firing groups"
          heads={["Group", "State", "Value", "Since"]}
          numbers={["Value"]}
        >
          {groups.map(({ group, state, value, since }) => (
            <tr key={JSON.stringify(group)}>
              <th scope="row">{alertGroupText(group)}</th>
              <td>
                <span className={styles.badge} data-tone={state === "firing" ? "bad" : undefined}>
                  {state}
                </span>
              </td>
              <td data-align="right">{cellText(value)}</td>
              <td className={styles.nowrap}>{shownSecond(since, zone)}</td>
            </tr>
          ))}
        </ScrolledTable>
      )}
    </PageSection>
  );
}

function History({ history: { events, notices } }: { history: AlertHistory }) {
  const { zone } = usePreferences();
  return (
    <>
      <PageSection title="Changes of state">
        {events.length === 0 ? (
          <p className={styles.empty}>The state has not changed yet.</p>
        ) : (
          <ScrolledTable
            label="Changes of state"
            heads={["Time", "Group", "Change", "Value", "Reason"]}
            numbers={["Value"]}
          >
            {events.map(({ at, group, before, after, value, detail }) => (
              <tr key={JSON.stringify([at, group, before, after, detail])} data-testid={testIds.alertEvent}>
                <td className={styles.nowrap}>{shownSecond(at, zone)}</td>
                <td>{alertGroupText(group)}</td>
                <td className={styles.nowrap}>
                  {before} → {after}
                </td>
                <td data-align="right">{cellText(value)}</td>
                <td className={styles.sentence}>
                  <LoggedText text={detail} />
                </td>
              </tr>
            ))}
          </ScrolledTable>
        )}
      </PageSection>
      <PageSection title="Notices of the last 7 days">
        {notices.length === 0 ? (
          <p className={styles.empty}>No notices.</p>
        ) : (
          <ScrolledTable
            label="Notices"
            heads={["Time", "Kind", "State", "Attempts", "Reason", "Id"]}
            numbers={["Attempts"]}
          >
            {notices.map((notice) => (
              <tr key={notice.id} data-testid={testIds.alertNotice}>
                <td className={styles.nowrap}>{shownSecond(notice.created_at, zone)}</td>
                <td>{notice.kind}</td>
                <td>{notice.state}</td>
                <td data-align="right">{notice.attempts}</td>
                <td className={styles.sentence}>
                  <LoggedText text={notice.detail} />
                </td>
                <td>
                  <code>{notice.id}</code>
                </td>
              </tr>
            ))}
          </ScrolledTable>
        )}
      </PageSection>
    </>
  );
}

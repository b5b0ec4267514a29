import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Lead, Page } from "../layout/Page";
import { useDashboardList } from "../panels/dashboardQueries";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { shownSecond } from "../time/shownTime";
import { describeRelative } from "../time/timeExpression";
import { Button } from "../ui/Button";
import { LoadProblem } from "../ui/section/LoadProblem";
import { ScrolledTable } from "../ui/section/ScrolledTable";
import styles from "../ui/section/Section.module.css";
import { DEFAULT_STATE } from "../url/searchState";
import { storedTime } from "./dashboardSearch";
import { NewDashboardDialog } from "./NewDashboardDialog";

const HEADS = ["Dashboard", "Panels", "Range", "Changed"];
const NUMBERS = ["Panels"];

/** The tenant's dashboards by name. */
export function DashboardList() {
  const listed = useDashboardList();
  const navigate = useNavigate();
  const { zone } = usePreferences();
  const [isNew, setNew] = useState(false);
  const dashboards = listed.data ?? [];
  return (
    <Page
      title="Dashboards"
      isWide
      data-testid={testIds.dashboards}
      controls={
        <Button tone="primary" data-testid={testIds.dashboardNew} onClick={() => setNew(true)}>
          New dashboard
        </Button>
      }
    >
      <Lead>
        A dashboard shows saved views side by side, over one range of time. All users of the tenant share its
        dashboards.
      </Lead>
      <LoadProblem of={listed} />
      {listed.data !== undefined && dashboards.length === 0 && (
        <p className={styles.empty}>
          No dashboards yet. Save searches as views in{" "}
          <Link to="/" search={DEFAULT_STATE}>
            Search
          </Link>
          , then add the views to a dashboard. A panel shows the logs of a view, or its numbers if the query
          has <code>| stats</code>.
        </p>
      )}
      {dashboards.length > 0 && (
        <ScrolledTable label="List of dashboards" heads={HEADS} numbers={NUMBERS}>
          {dashboards.map((dashboard) => {
            const { from, to } = storedTime(dashboard);
            return (
              <tr key={dashboard.id} data-testid={testIds.dashboardRow}>
                <th scope="row">
                  <Link to="/dashboards/{-$id}" params={{ id: dashboard.id }} search={{}}>
                    <LoggedText text={dashboard.name} />
                  </Link>
                </th>
                <td data-align="right">{dashboard.panels.length}</td>
                <td className={styles.nowrap}>{describeRelative({ from, to }) ?? `${from} to ${to}`}</td>
                <td className={styles.nowrap}>{shownSecond(dashboard.changed_at, zone)}</td>
              </tr>
            );
          })}
        </ScrolledTable>
      )}
      {isNew && (
        <NewDashboardDialog
          onClose={() => setNew(false)}
          onSaved={({ id }) =>
            void navigate({ to: "/dashboards/{-$id}", params: { id }, search: {}, ignoreBlocker: true })
          }
        />
      )}
    </Page>
  );
}

import { useParams } from "@tanstack/react-router";
import { Page } from "../layout/Page";
import { useDashboard } from "../panels/dashboardQueries";
import { testIds } from "../testIds";
import { LoadProblem } from "../ui/section/LoadProblem";
import { DashboardList } from "./DashboardList";
import { DashboardView } from "./DashboardView";

/** The tenant's dashboards, or one of them. */
export function DashboardsPage() {
  const { id } = useParams({ from: "/dashboards/{-$id}" });
  return id === undefined ? <DashboardList /> : <OpenedPage key={id} id={id} />;
}

function OpenedPage({ id }: { id: string }) {
  const opened = useDashboard(id);
  if (opened.data !== undefined) return <DashboardView dashboard={opened.data} reading={opened} />;
  return (
    <Page title="Dashboard" isWide data-testid={testIds.dashboards}>
      {opened.isError ? <LoadProblem of={opened} /> : <p role="status">Opening the dashboard…</p>}
    </Page>
  );
}

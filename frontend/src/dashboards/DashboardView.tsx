import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { asProblem } from "../api/problem";
import { objectToReplace } from "../api/revision";
import type { OpenedDashboard, View } from "../api/types";
import { Page } from "../layout/Page";
import { useLeaveQuestion } from "../layout/useLeaveQuestion";
import { useSaveDashboard } from "../panels/dashboardQueries";
import { addPanel, MAX_PANELS, type PanelList, withKeys, withoutKeys } from "../panels/panelList";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { refreshMilliseconds, refreshSeconds } from "../time/refreshEvery";
import { useAutoRefresh } from "../timeRange/useAutoRefresh";
import { useFrozenWindow } from "../timeRange/useFrozenWindow";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/dialog/ConfirmDialog";
import { LoadProblem } from "../ui/section/LoadProblem";
import section from "../ui/section/Section.module.css";
import { useWhileShown } from "../ui/useWhileShown";
import styles from "./Dashboard.module.css";
import { DashboardBar } from "./DashboardBar";
import { type DashboardTime, shownTime, storedTime } from "./dashboardSearch";
import { EditBar } from "./EditBar";
import { PanelGrid } from "./PanelGrid";
import { useArePanelsFetching, useDropEarlierAnswers } from "./panelCache";

/** Unsaved changes to a dashboard. `revision` is the revision that is edited, `views` has the views of added panels. */
interface Draft {
  readonly revision: number;
  readonly name: string;
  readonly panels: PanelList;
  readonly views: readonly View[];
}

/** Returns the draft with one more panel. A view is read first, and the draft may have changed meanwhile. */
function withPanel(draft: Draft, view: View): Draft {
  return { ...draft, panels: addPanel(draft.panels, view), views: [...draft.views, view] };
}

interface DashboardViewProps {
  /** The dashboard as it was read or saved last. */
  readonly dashboard: OpenedDashboard;
  /** State of the last read, which may have failed. */
  readonly reading: React.ComponentProps<typeof LoadProblem>["of"];
}

/**
 * Page of one dashboard, which shows its panels or edits them. A dashboard that another user has deleted is shown only
 * while it is edited.
 */
export function DashboardView({ dashboard, reading }: DashboardViewProps) {
  const search = useSearch({ from: "/dashboards/{-$id}" });
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft | null>(null);
  const time = shownTime(search, dashboard);
  const range = { from: time.from, to: time.to };
  const [window, readAgain] = useFrozenWindow(dashboard.id, range);
  const dropEarlierAnswers = useDropEarlierAnswers();
  const refresh = () => {
    dropEarlierAnswers();
    readAgain();
  };
  useAutoRefresh(refreshMilliseconds(time.refresh, range), useArePanelsFetching(), refresh);
  const changeTime = (change: Partial<DashboardTime>) =>
    void navigate({
      to: "/dashboards/{-$id}",
      params: { id: dashboard.id },
      search: { ...time, ...change },
    });
  /** The draft that was saved last; null if the user has begun to edit anew since. */
  const sent = useRef<Draft | null>(null);
  const saving = useSaveDashboard(({ revision }) => {
    const saved = sent.current;
    if (saved === null) return;
    // Changes made while the request ran are not saved yet. The next save replaces the new revision.
    setDraft((latest) => (latest === saved ? null : latest && { ...latest, revision }));
  });
  const edit = () => {
    saving.reset();
    sent.current = null;
    const { revision, name, panels } = dashboard;
    setDraft({ revision, name, panels: withKeys(panels), views: [] });
  };
  const isChanged =
    draft !== null &&
    (draft.name !== dashboard.name ||
      JSON.stringify(draft.panels) !== JSON.stringify(withKeys(dashboard.panels)));
  const leaving = useLeaveQuestion(isChanged);
  const showList = useWhileShown(
    () =>
      void navigate({
        to: "/dashboards/{-$id}",
        params: { id: undefined },
        search: {},
        ignoreBlocker: true,
      }),
  );
  const save = (keepsTime: boolean) => {
    if (draft === null) return;
    const stored = keepsTime
      ? { start: time.from, end: time.to, refresh_seconds: refreshSeconds(time.refresh) }
      : { start: dashboard.start, end: dashboard.end, refresh_seconds: dashboard.refresh_seconds };
    const edited = { ...dashboard, revision: draft.revision };
    sent.current = draft;
    saving.mutate({
      dashboard: objectToReplace(edited, dashboard, saving),
      members: { name: draft.name.trim(), ...stored, panels: withoutKeys(draft.panels) },
      views: draft.views,
    });
  };
  if (draft === null && reading.isError && asProblem(reading.error).status === 404) {
    return (
      <Page title="Dashboard" isWide data-testid={testIds.dashboards}>
        <LoadProblem of={reading} />
      </Page>
    );
  }
  const panels = draft?.panels ?? withKeys(dashboard.panels);
  return (
    <Page
      title={visibleText(dashboard.name)}
      isWide
      data-testid={testIds.dashboards}
      controls={
        <DashboardBar
          id={dashboard.id}
          time={time}
          window={window}
          isEdited={draft !== null}
          onTime={changeTime}
          onRefresh={refresh}
          onEdit={edit}
        />
      }
    >
      <p className={styles.up}>
        <Link to="/dashboards/{-$id}" params={{ id: undefined }} search={{}}>
          All dashboards
        </Link>
      </p>
      <LoadProblem of={reading} />
      {draft !== null && (
        <EditBar
          dashboard={dashboard}
          isFull={draft.panels.length >= MAX_PANELS}
          isOtherTime={JSON.stringify(time) !== JSON.stringify(storedTime(dashboard))}
          saving={saving}
          name={draft.name}
          onName={(name) => setDraft({ ...draft, name })}
          onAdd={(view) => setDraft((latest) => latest && withPanel(latest, view))}
          onSave={save}
          onCancel={() => setDraft(null)}
          onDeleted={showList}
        />
      )}
      {panels.length === 0 && (
        <div className={section.empty}>
          <p className={styles.none}>
            No panels yet. A panel shows a saved view: its numbers or its newest logs.
          </p>
          {draft === null && (
            <Button tone="primary" onClick={edit}>
              Add panels
            </Button>
          )}
        </div>
      )}
      <PanelGrid
        panels={panels}
        views={[...dashboard.views, ...(draft?.views ?? [])]}
        range={range}
        window={window}
        onPanels={draft === null ? null : (changed) => setDraft({ ...draft, panels: changed })}
        onRange={changeTime}
      />
      {leaving.status === "blocked" && (
        <ConfirmDialog
          title="Leave without saving?"
          keep="Keep editing"
          confirm="Discard the changes"
          onClose={leaving.reset}
          onConfirm={leaving.proceed}
          data-testid={testIds.dashboardDiscard}
        >
          Your changes to this dashboard are not saved yet.
        </ConfirmDialog>
      )}
    </Page>
  );
}

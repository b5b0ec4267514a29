import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { asProblem, sentence } from "../api/problem";
import type { Dashboard, View } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import styles from "../ui/dialog/Dialog.module.css";
import { ModalDialog } from "../ui/dialog/ModalDialog";
import { useIsHeld } from "../ui/dialog/useIsHeld";
import { Field, Message } from "../ui/Form";
import { LoadProblem } from "../ui/section/LoadProblem";
import { useView, useViewList } from "../views/viewQueries";
import { stateOf, type ViewState } from "../views/viewState";
import page from "./AddToDashboard.module.css";
import { useDashboardList } from "./dashboardQueries";
import { MAX_PANELS } from "./panelList";
import { freeName, isSamePanel, panelName } from "./panelSearch";
import { type NewPanel, useAddPanel } from "./useAddPanel";

interface AddToDashboardDialogProps {
  /** The search whose chart becomes a panel. */
  readonly search: ViewState;
  /** Id of the saved view that is open; null for none. */
  readonly viewId: string | null;
  readonly onClose: () => void;
}

/** Dialog that adds the chart of a search to a stored dashboard, or to a new one. */
export default function AddToDashboardDialog({ search, viewId, onClose }: AddToDashboardDialogProps) {
  const dashboards = useDashboardList();
  const views = useViewList(true);
  const open = useView(viewId);
  const adding = useAddPanel();
  const isHeld = useIsHeld(adding.isPending);
  const isRead = dashboards.data !== undefined && views.data !== undefined && !open.isLoading;
  const reused = open.data !== undefined && isSamePanel(stateOf(open.data), search) ? open.data : null;
  return (
    <ModalDialog title="Add this chart to a dashboard" onClose={() => !isHeld && onClose()}>
      <LoadProblem of={dashboards} />
      <LoadProblem of={views} />
      {!isRead && !dashboards.isError && !views.isError && <p role="status">Reading the dashboards…</p>}
      {adding.data !== undefined && <AddedNote dashboard={adding.data} />}
      {isRead && adding.data === undefined && (
        <Choices
          dashboards={dashboards.data}
          reused={reused}
          name={
            reused?.name ??
            freeName(
              panelName(search),
              views.data.map(({ name }) => name),
            )
          }
          isBusy={adding.isPending}
          onAdd={(panel) => adding.mutate({ ...panel, search, view: reused })}
        />
      )}
      {adding.isError && <Message>{sentence(asProblem(adding.error).message)}</Message>}
      <div className={styles.actions}>
        <Button onClick={onClose} disabled={isHeld}>
          {adding.data === undefined ? "Cancel" : "Close"}
        </Button>
      </div>
    </ModalDialog>
  );
}

interface ChoicesProps {
  readonly dashboards: readonly Dashboard[];
  /** The saved view that the panel shows; null if a new view is saved. */
  readonly reused: View | null;
  /** Proposed title of the panel. */
  readonly name: string;
  readonly isBusy: boolean;
  readonly onAdd: (panel: Pick<NewPanel, "title" | "target">) => void;
}

function Choices({ dashboards, reused, name, isBusy, onAdd }: ChoicesProps) {
  // The proposed name changes when the list of views is read again, for example after a view was saved for the panel.
  const [title, setTitle] = useState(name);
  const add = (target: NewPanel["target"]) => onAdd({ title: title.trim() || name, target });
  const create = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add({ name: String(new FormData(event.currentTarget).get("dashboard") ?? "").trim() });
  };
  return (
    <>
      <Field
        label="Title of the panel"
        maxLength={100}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        autoComplete="off"
        hint={
          reused === null
            ? "The search is saved as a view with this name."
            : "The panel shows the saved view that is open."
        }
        data-testid={testIds.panelName}
      />
      {dashboards.length > 0 && (
        <ul className={page.list} aria-label="Dashboards">
          {dashboards.map(({ id, name: dashboard, panels }) => (
            <li key={id}>
              <Button
                className={page.choice}
                disabled={isBusy || panels.length >= MAX_PANELS}
                data-testid={testIds.dashboardChoice}
                onClick={() => add({ id })}
              >
                Add to {visibleText(dashboard)}
                {panels.length >= MAX_PANELS && ` (has ${MAX_PANELS} panels, the largest number allowed)`}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form className={page.create} onSubmit={create}>
        <Field
          label="New dashboard"
          name="dashboard"
          required
          maxLength={100}
          defaultValue={freeName(
            "Dashboard",
            dashboards.map((each) => each.name),
          )}
          autoComplete="off"
          data-testid={testIds.dashboardName}
        />
        <Button type="submit" tone="primary" disabled={isBusy} data-testid={testIds.dashboardSubmit}>
          Create and add
        </Button>
      </form>
    </>
  );
}

function AddedNote({ dashboard: { id, name } }: { dashboard: Dashboard }) {
  return (
    <Message tone="good" data-testid={testIds.panelAdded}>
      Added to{" "}
      <Link to="/dashboards/{-$id}" params={{ id }} search={{}}>
        {visibleText(name)}
      </Link>
      .
    </Message>
  );
}

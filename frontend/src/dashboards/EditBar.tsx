import type { FormEvent } from "react";
import { useState } from "react";
import { changeProblem } from "../api/revision";
import type { Dashboard, View } from "../api/types";
import { useDeleteDashboard } from "../panels/dashboardQueries";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/dialog/ConfirmDialog";
import { Field, Message } from "../ui/Form";
import { AddPanelMenu } from "./AddPanelMenu";
import styles from "./Dashboard.module.css";

interface EditBarProps {
  readonly dashboard: Dashboard;
  /** Name in the input, which Save stores. */
  readonly name: string;
  readonly isFull: boolean;
  /** True if the shown range or refresh interval differs from the stored one. */
  readonly isOtherTime: boolean;
  /** State of the request that saves. */
  readonly saving: { readonly error: unknown; readonly isError: boolean; readonly isPending: boolean };
  readonly onAdd: (view: View) => void;
  readonly onName: (name: string) => void;
  readonly onSave: (keepsTime: boolean) => void;
  readonly onCancel: () => void;
  readonly onDeleted: () => void;
}

/**
 * Form above the panels while a dashboard is edited. It changes the name, adds panels, and saves or discards the
 * changes.
 */
export function EditBar({ dashboard, saving, ...props }: EditBarProps) {
  const [isDeleting, setDeleting] = useState(false);
  const deleting = useDeleteDashboard(props.onDeleted);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    props.onSave(new FormData(event.currentTarget).has("time"));
  };
  return (
    <form className={styles.edit} onSubmit={submit} aria-label="Edit the dashboard">
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={props.name}
        onChange={({ target }) => props.onName(target.value)}
        data-testid={testIds.dashboardName}
      />
      <AddPanelMenu isFull={props.isFull} onAdd={props.onAdd} />
      {props.isOtherTime && (
        <label className={styles.check}>
          <input type="checkbox" name="time" data-testid={testIds.dashboardKeepRange} />
          Save the range and the refresh interval that are shown
        </label>
      )}
      <span className={styles.ends}>
        <Button tone="danger" data-testid={testIds.dashboardDelete} onClick={() => setDeleting(true)}>
          Delete
        </Button>
        <Button data-testid={testIds.dashboardCancel} onClick={props.onCancel}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" disabled={saving.isPending} data-testid={testIds.dashboardSave}>
          Save
        </Button>
      </span>
      {saving.isError && (
        <div className={styles.whole}>
          <Message>{changeProblem(saving.error, "dashboard")}</Message>
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete dashboard ${visibleText(dashboard.name)}?`}
          keep="Keep the dashboard"
          object="dashboard"
          request={deleting}
          onClose={() => setDeleting(false)}
          onConfirm={() => deleting.mutate(dashboard)}
          data-testid={testIds.dashboardDeleteConfirm}
        >
          All users of the tenant lose the dashboard. Links to it stop working. Its views are not deleted.
        </ConfirmDialog>
      )}
    </form>
  );
}

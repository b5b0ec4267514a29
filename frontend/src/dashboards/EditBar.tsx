import type { FormEvent } from "react";
import { useState } from "react";
import { asProblem, sentence } from "../api/problem";
import type { Dashboard, View } from "../api/types";
import { ConfirmDialog } from "../settings/ConfirmDialog";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Field, Message } from "../ui/Form";
import { AddPanelMenu } from "./AddPanelMenu";
import styles from "./Dashboard.module.css";
import { useDeleteDashboard } from "./dashboardQueries";

interface EditBarProps {
  readonly dashboard: Dashboard;
  /** The name that is saved. */
  readonly name: string;
  readonly isFull: boolean;
  /** True if the range or the refresh that is shown differs from what the dashboard stores. */
  readonly isOtherTime: boolean;
  /** State of the request that saves. */
  readonly saving: { readonly error: unknown; readonly isError: boolean; readonly isPending: boolean };
  readonly onAdd: (view: View) => void;
  readonly onName: (name: string) => void;
  readonly onSave: (keepsTime: boolean) => void;
  readonly onCancel: () => void;
  readonly onDeleted: () => void;
}

/** Form over the panels of a dashboard that is edited: its name, new panels, and what happens to the changes. */
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
          Open with the range and refresh that are shown
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
          <Message>{sentence(asProblem(saving.error).message)}</Message>
        </div>
      )}
      {isDeleting && (
        <ConfirmDialog
          title={`Delete dashboard ${dashboard.name}?`}
          keep="Keep the dashboard"
          request={deleting}
          onClose={() => setDeleting(false)}
          onConfirm={() => deleting.mutate(dashboard)}
          data-testid={testIds.dashboardDeleteConfirm}
        >
          All users of the tenant lose the dashboard, and links to it stop working. Its views stay.
        </ConfirmDialog>
      )}
    </form>
  );
}

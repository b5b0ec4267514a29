import { type FormEvent, useRef } from "react";
import { asProblem, sentence } from "../api/problem";
import type { Dashboard } from "../api/types";
import { useSaveDashboard } from "../panels/dashboardQueries";
import { testIds } from "../testIds";
import { DEFAULT_RANGE } from "../time/timeExpression";
import { Button } from "../ui/Button";
import styles from "../ui/dialog/Dialog.module.css";
import { EditDialog } from "../ui/dialog/EditDialog";
import { Field, Message } from "../ui/Form";
import { useWhileShown } from "../ui/useWhileShown";
import page from "./Dashboard.module.css";

interface NewDashboardDialogProps {
  readonly onClose: () => void;
  readonly onSaved: (dashboard: Dashboard) => void;
}

/** Dialog that creates a dashboard without panels. */
export function NewDashboardDialog({ onClose, onSaved }: NewDashboardDialogProps) {
  const leaving = useRef(false);
  const saved = useSaveDashboard(
    useWhileShown((dashboard: Dashboard) => {
      if (!leaving.current) onSaved(dashboard);
      onClose();
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    const { from: start, to: end } = DEFAULT_RANGE;
    const members = { name, start, end, refresh_seconds: null, panels: [] };
    saved.mutate({ dashboard: null, members, views: [] });
  };
  return (
    <EditDialog
      title="New dashboard"
      object="dashboard"
      isSaving={saved.isPending}
      leaving={leaving}
      onClose={onClose}
    >
      <form className={page.form} onSubmit={submit}>
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          data-testid={testIds.dashboardName}
        />
        {saved.isError && <Message>{sentence(asProblem(saved.error).message)}</Message>}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="primary"
            disabled={saved.isPending}
            data-testid={testIds.dashboardSubmit}
          >
            Create
          </Button>
        </div>
      </form>
    </EditDialog>
  );
}

import { type FormEvent, useRef, useState } from "react";
import { changeProblem, objectToReplace } from "../api/revision";
import type { View } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import styles from "../ui/dialog/Dialog.module.css";
import { EditDialog } from "../ui/dialog/EditDialog";
import { Field, Message } from "../ui/Form";
import { useWhileShown } from "../ui/useWhileShown";
import menu from "./ViewsMenu.module.css";
import { useSaveView } from "./viewQueries";
import { searchOf, type ViewState } from "./viewState";

interface SaveViewDialogProps {
  /** The view that is replaced; null for a new view. */
  readonly view: View | null;
  /** The search that is saved. */
  readonly state: ViewState;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Dialog that saves the search under a name. */
export default function SaveViewDialog({ view, state, onClose, onSaved }: SaveViewDialogProps) {
  const [edited] = useState(view);
  const leaving = useRef(false);
  const saved = useSaveView(
    useWhileShown(({ id }: View) => {
      if (!leaving.current) onSaved(id);
      onClose();
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    saved.mutate({
      view: objectToReplace(edited, view, saved),
      members: {
        name: text("name"),
        folder: text("folder"),
        is_default: form.has("default"),
        ...searchOf(state),
      },
    });
  };
  return (
    <EditDialog
      title={view === null ? "Save this search as a view" : `Change view ${visibleText(view.name)}`}
      description="A view keeps the query, the range, the order, the columns and the field of the chart. All users of the tenant can open it."
      object="view"
      isSaving={saved.isPending}
      leaving={leaving}
      onClose={onClose}
    >
      <form className={menu.form} onSubmit={submit}>
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          defaultValue={edited?.name ?? ""}
          autoComplete="off"
          data-testid={testIds.viewName}
        />
        <Field
          label="Folder"
          name="folder"
          maxLength={100}
          defaultValue={edited?.folder ?? ""}
          autoComplete="off"
          hint="Optional."
          data-testid={testIds.viewFolder}
        />
        <label className={menu.check}>
          <input
            type="checkbox"
            name="default"
            defaultChecked={edited?.is_default ?? false}
            data-testid={testIds.viewDefault}
          />
          Default view: opens first in Search, for all users of the tenant
        </label>
        {saved.isError && (
          <Message data-testid={testIds.viewMessage}>{changeProblem(saved.error, "view")}</Message>
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={saved.isPending} data-testid={testIds.viewSubmit}>
            Save
          </Button>
        </div>
      </form>
    </EditDialog>
  );
}

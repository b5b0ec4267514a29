import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { asProblem, sentence } from "../../api/problem";
import type { AdminKey } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import dialog from "../../ui/dialog/Dialog.module.css";
import { EditDialog } from "../../ui/dialog/EditDialog";
import { Field, Message } from "../../ui/Form";
import { Icon } from "../../ui/Icon";
import { useWhileShown } from "../../ui/useWhileShown";
import { useAdmin } from "../useAdmin";

/** Button that opens a dialog, in which the label of a key is changed. */
export function LabelButton({ shown: key }: { shown: AdminKey }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        label={`Change the label of key ${key.id}`}
        data-testid={testIds.keyRelabel}
        onClick={() => setOpen(true)}
      >
        <Icon name="pencil" />
      </IconButton>
      {isOpen && <LabelDialog shown={key} onClose={() => setOpen(false)} />}
    </>
  );
}

function LabelDialog({ shown: key, onClose }: { shown: AdminKey; onClose: () => void }) {
  const { api } = useAdmin();
  const queryClient = useQueryClient();
  const leaving = useRef(false);
  // The dialog may have been closed, and opened again, before the answer arrives.
  const close = useWhileShown(onClose);
  const labelled = useMutation({
    mutationFn: (label: string) => api.labelKey(key.id, label),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES, "keys"] });
      close();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    labelled.mutate(String(new FormData(event.currentTarget).get("label") ?? "").trim());
  };
  return (
    <EditDialog
      title={`Change the label of key ${key.id}`}
      description="Lists of keys and the audit log show the label. The key works as before."
      object="label"
      isSaving={labelled.isPending}
      leaving={leaving}
      onClose={onClose}
    >
      <form className={dialog.form} onSubmit={submit}>
        <Field
          label="Label"
          name="label"
          maxLength={100}
          defaultValue={key.label}
          autoComplete="off"
          hint="Leave it empty for a key without a label."
          data-testid={testIds.keyNewLabel}
        />
        {labelled.isError && <Message>{sentence(asProblem(labelled.error).message)}</Message>}
        <div className={dialog.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="primary"
            disabled={labelled.isPending}
            data-testid={testIds.keyLabelSave}
          >
            Save
          </Button>
        </div>
      </form>
    </EditDialog>
  );
}

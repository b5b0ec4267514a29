import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { type FormEvent, useState } from "react";
import { asProblem, sentence } from "../../api/problem";
import type { AdminKey } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { Button, IconButton } from "../../ui/Button";
import { Field, Message } from "../../ui/Form";
import { Icon } from "../../ui/Icon";
import styles from "../Dialog.module.css";
import { useAdmin } from "../useAdmin";

/** Button that opens a dialog with a field for the label of a key. */
export function LabelButton({ shown: key }: { shown: AdminKey }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        label={`Change label of key ${key.label === "" ? key.id : key.label}`}
        data-testid={testIds.keyChangeLabel}
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
  const saved = useMutation({
    mutationFn: (label: string) => api.labelKey(key.id, label),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES, "keys"] });
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    saved.mutate(String(new FormData(event.currentTarget).get("label") ?? "").trim());
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.dialog}>
          <Dialog.Title className={styles.title}>Change label of key {key.id}</Dialog.Title>
          <Dialog.Description className={styles.text}>
            The label says what the key is for. Programs that use the key notice nothing.
          </Dialog.Description>
          <form onSubmit={submit}>
            <Field
              label="Label"
              name="label"
              maxLength={100}
              defaultValue={key.label}
              autoComplete="off"
              data-testid={testIds.keyNewLabel}
            />
            {saved.isError && <Message>{sentence(asProblem(saved.error).message)}</Message>}
            <div className={styles.actions}>
              <Button onClick={onClose}>Cancel</Button>
              <Button
                type="submit"
                tone="primary"
                disabled={saved.isPending}
                data-testid={testIds.keyLabelSave}
              >
                Save
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { AlertDialog } from "radix-ui";
import { useState } from "react";
import { asProblem, sentence } from "../../api/problem";
import type { AdminKey } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { Button } from "../../ui/Button";
import { Message } from "../../ui/Form";
import styles from "../Dialog.module.css";
import { useAdmin } from "../useAdmin";

/** Button that revokes a key after a confirmation, because a revoked key never works again. */
export function RevokeButton({ shown: key, isOwn }: { shown: AdminKey; isOwn: boolean }) {
  const { api } = useAdmin();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const revoked = useMutation({
    mutationFn: () => api.revokeKey(key.id),
    onSuccess: async () => {
      setOpen(false);
      await queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES, "keys"] });
    },
  });
  const name = key.label === "" ? key.id : `${key.label} (${key.id})`;
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger asChild>
        <Button size="small" tone="danger" aria-label={`Revoke key ${name}`} data-testid={testIds.keyRevoke}>
          Revoke
        </Button>
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles.overlay} />
        <AlertDialog.Content className={styles.dialog}>
          <AlertDialog.Title className={styles.title}>
            Revoke {key.purpose} key {name}?
          </AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>
            {CONSEQUENCES[key.purpose]} It stops working within 5 seconds and never works again.
          </AlertDialog.Description>
          {isOwn && (
            <Message tone="warning">
              This page uses this key itself: you will have to enter another one.
            </Message>
          )}
          {revoked.isError && <Message>{sentence(asProblem(revoked.error).message)}</Message>}
          <div className={styles.actions}>
            <AlertDialog.Cancel asChild>
              <Button>Keep the key</Button>
            </AlertDialog.Cancel>
            <Button
              tone="danger"
              disabled={revoked.isPending}
              onClick={() => revoked.mutate()}
              data-testid={testIds.keyRevokeConfirm}
            >
              Revoke
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

const CONSEQUENCES = {
  ingest: "Programs that send with this key can no longer send logs.",
  query: "People and programs that read with this key can no longer search.",
  admin: "This key can no longer change settings.",
} as const;

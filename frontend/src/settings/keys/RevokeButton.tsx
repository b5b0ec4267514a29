import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminKey } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { visibleText } from "../../text/signs";
import { Button } from "../../ui/Button";
import { ConfirmDialog } from "../../ui/dialog/ConfirmDialog";
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
  const name = key.label === "" ? key.id : `${visibleText(key.label)} (${key.id})`;
  return (
    <>
      <Button
        size="small"
        tone="danger"
        aria-label={`Revoke key ${name}`}
        data-testid={testIds.keyRevoke}
        onClick={() => setOpen(true)}
      >
        Revoke
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`Revoke ${key.purpose} key ${name}?`}
          keep="Keep the key"
          confirm="Revoke"
          object="key"
          done="revoked"
          warning={
            isOwn ? "This page is signed in with this key. You must enter another key afterwards." : undefined
          }
          request={revoked}
          onClose={() => setOpen(false)}
          onConfirm={() => revoked.mutate()}
          data-testid={testIds.keyRevokeConfirm}
        >
          {`${CONSEQUENCES[key.purpose]} The key stops working within 5 seconds and never works again.`}
        </ConfirmDialog>
      )}
    </>
  );
}

const CONSEQUENCES = {
  ingest: "Programs that send with this key can no longer send logs.",
  query: "People and programs that read with this key can no longer search.",
  admin: "This key can no longer change settings.",
} as const;

import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { asProblem, sentence } from "../api/problem";
import type { Alert } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { nowMs } from "../time/serverClock";
import { Button } from "../ui/Button";
import { ConfirmDialog } from "../ui/dialog/ConfirmDialog";
import { Message } from "../ui/Form";
import { MenuContent, MenuItem, MenuLabel } from "../ui/Menu";
import styles from "../ui/section/Section.module.css";
import { useDeleteAlert, useMuteAlert, useTestAlert } from "./alertQueries";
import { muteEnd, secondsText } from "./alertText";

/** Lengths of a mute to choose from, in seconds. */
const MUTES = [3_600, 14_400, 86_400, 604_800] as const;

interface AlertActionsProps {
  readonly alert: Alert;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

/** Buttons that edit, test, mute and delete a rule. */
export function AlertActions({ alert, onEdit, onDeleted }: AlertActionsProps) {
  const muted = useMuteAlert();
  const tested = useTestAlert();
  const failed = muted.error ?? tested.error;
  const muteFor = (seconds: number) =>
    muted.mutate({ id: alert.id, until: new Date(nowMs() + seconds * 1_000).toISOString() });
  return (
    <div className={styles.actions}>
      <Button data-testid={testIds.alertEdit} onClick={onEdit}>
        Edit
      </Button>
      <Button
        disabled={tested.isPending || alert.channels.length === 0}
        title="Send a test notice to each channel"
        data-testid={testIds.alertTest}
        onClick={() => tested.mutate(alert.id)}
      >
        Send a test
      </Button>
      {muteEnd(alert) === null ? (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger asChild>
            <Button data-testid={testIds.alertMute}>Mute</Button>
          </DropdownMenu.Trigger>
          <MenuContent align="end">
            <MenuLabel>Send no notices for</MenuLabel>
            {MUTES.map((seconds) => (
              <MenuItem key={seconds} onSelect={() => muteFor(seconds)}>
                {secondsText(seconds)}
              </MenuItem>
            ))}
          </MenuContent>
        </DropdownMenu.Root>
      ) : (
        <Button data-testid={testIds.alertMute} onClick={() => muted.mutate({ id: alert.id, until: null })}>
          Unmute
        </Button>
      )}
      <DeleteButton alert={alert} onDeleted={onDeleted} />
      {failed !== null && <Message>{sentence(asProblem(failed).message)}</Message>}
      {tested.isSuccess && (
        <Message tone="good">
          Test notices are being sent. The table of notices below shows the result.
        </Message>
      )}
    </div>
  );
}

function DeleteButton({ alert, onDeleted }: { alert: Alert; onDeleted: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const deleting = useDeleteAlert(onDeleted);
  return (
    <>
      <Button tone="danger" data-testid={testIds.alertDelete} onClick={() => setOpen(true)}>
        Delete
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`Delete rule ${visibleText(alert.name)}?`}
          keep="Keep the rule"
          object="rule"
          request={deleting}
          onClose={() => setOpen(false)}
          onConfirm={() => deleting.mutate(alert)}
          data-testid={testIds.alertDeleteConfirm}
        >
          For each firing group, the channels get a notice that the group is resolved. The history of the rule
          is deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

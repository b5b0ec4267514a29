import { testIds } from "../testIds";
import { ConfirmDialog } from "../ui/dialog/ConfirmDialog";

interface LeaveExportDialogProps {
  readonly onStay: () => void;
  readonly onLeave: () => void;
}

/** Asks if the user leaves the search page although this cancels the running export. */
export default function LeaveExportDialog({ onStay, onLeave }: LeaveExportDialogProps) {
  return (
    <ConfirmDialog
      title="Leave while an export runs?"
      keep="Stay"
      confirm="Leave"
      onClose={onStay}
      onConfirm={onLeave}
      data-testid={testIds.exportLeave}
    >
      Leaving this page cancels the export, and no file is saved.
    </ConfirmDialog>
  );
}

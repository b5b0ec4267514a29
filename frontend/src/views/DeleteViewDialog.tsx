import type { View } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { ConfirmDialog } from "../ui/dialog/ConfirmDialog";
import { useWhileShown } from "../ui/useWhileShown";
import { useDeleteView } from "./viewQueries";

interface DeleteViewDialogProps {
  readonly view: View;
  readonly onClose: () => void;
  /** Called with the id of the deleted view, also after the dialog was closed. */
  readonly onDeleted: (id: string) => void;
}

/** Deletes a view after a confirmation, because its links stop working for everyone. */
export default function DeleteViewDialog({ view, onClose, onDeleted }: DeleteViewDialogProps) {
  const close = useWhileShown(onClose);
  const deleting = useDeleteView((id) => {
    onDeleted(id);
    close();
  });
  return (
    <ConfirmDialog
      title={`Delete view ${visibleText(view.name)}?`}
      keep="Keep the view"
      object="view"
      request={deleting}
      onClose={onClose}
      onConfirm={() => deleting.mutate(view)}
      data-testid={testIds.viewDeleteConfirm}
    >
      All users of the tenant lose the view. Links to it stop working, and panels that show it become empty.
    </ConfirmDialog>
  );
}

import { useLeaveQuestion } from "../../layout/useLeaveQuestion";
import { testIds } from "../../testIds";
import { ConfirmDialog } from "../../ui/dialog/ConfirmDialog";

/** Cache key of the requests that create a key, whose text only their answer has. */
export const NEW_KEY = ["new-key"] as const;

interface LeaveNewKeyProps {
  /** True while the request runs that creates the key. */
  readonly isCreating: boolean;
  /** True while the text of the new key is shown. */
  readonly isShown?: boolean;
}

/** Asks before the user leaves the page of a new key, because the text of the key would be lost. */
export function LeaveNewKey({ isCreating, isShown = false }: LeaveNewKeyProps) {
  // The page stays open when the key has been copied, and when it could not be created, because the page says why.
  const leaving = useLeaveQuestion(isCreating || isShown);
  if (leaving.status !== "blocked") return null;
  return (
    <ConfirmDialog
      title="Leave without the new key?"
      keep="Stay"
      confirm="Leave"
      onClose={leaving.reset}
      onConfirm={leaving.proceed}
      data-testid={testIds.keyLeave}
    >
      {isCreating
        ? "The key is being created. Its text is shown only on this page, so it is lost if you leave now. The key may still work then: revoke it in Settings → Keys."
        : "The text of the key cannot be shown again. If you have not copied it, stay on this page."}
    </ConfirmDialog>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { ADMIN_QUERIES, adminKey, useAdminKey } from "../session/adminKey";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { AdminForm } from "./AdminForm";
import { LoadProblem } from "./LoadProblem";
import { elsewhere } from "./refusal";
import { AdminContext, isElsewhere, useOpenAdmin } from "./useAdmin";

/** Shows a section once an admin key was entered in this tab, and the form for the key before. */
export function AdminGate({ children }: { children: React.ReactNode }) {
  const key = useAdminKey();
  const { tenant } = useSession();
  const opened = useOpenAdmin(key, tenant);
  if (key === null) return <AdminForm reason={null} />;
  // A failed repetition leaves the section in place, which may show the text of a new key or hold typed values.
  if (opened.data === undefined) {
    return opened.isError ? <LoadProblem of={opened} /> : <div aria-busy="true" />;
  }
  if (isElsewhere(opened.data)) return <AdminForm reason={elsewhere(opened.data.belongsTo, tenant)} />;
  return <AdminContext value={opened.data}>{children}</AdminContext>;
}

/** Button that removes the admin key from this tab. */
export function LockButton() {
  const key = useAdminKey();
  const queryClient = useQueryClient();
  if (key === null) return null;
  const lock = () => {
    adminKey.forget();
    queryClient.removeQueries({ queryKey: [ADMIN_QUERIES] });
  };
  return (
    <Button onClick={lock} title="Remove the admin key from this tab" data-testid={testIds.adminLock}>
      <Icon name="lock" />
      Lock
    </Button>
  );
}

import { useIsMutating, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ADMIN_QUERIES, adminKey, useAdminKey } from "../session/adminKey";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { LoadProblem } from "../ui/section/LoadProblem";
import { AdminForm } from "./AdminForm";
import { NEW_KEY } from "./keys/LeaveNewKey";
import { elsewhere, REFUSED } from "./refusal";
import { AdminContext, isElsewhere, useOpenAdmin } from "./useAdmin";

/**
 * Shows a section once an admin key was entered in this tab, and the form for the key before. A refused key leaves the
 * section in place, but hidden, because it may have typed values.
 */
export function AdminGate({ children }: { children: React.ReactNode }) {
  const key = useAdminKey();
  const { tenant } = useSession();
  const opened = useOpenAdmin(key, tenant);
  useNewAdminKey(key);
  // Without a key, a page that is opened now has no typed values, and would send requests with the refused key.
  const [wasOpened, setWasOpened] = useState(key !== null);
  if (key !== null && !wasOpened) setWasOpened(true);
  if (!wasOpened) return <AdminForm reason={null} />;
  // LockButton removes what was read. A key that is missing beside an answer or an error was refused.
  // A failed repetition leaves the section in place, which may show the text of a new key or hold typed values.
  if (opened.data === undefined) {
    if (key === null) return <AdminForm reason={opened.isError ? REFUSED : null} />;
    return opened.isError ? <LoadProblem of={opened} /> : <div aria-busy="true" />;
  }
  if (isElsewhere(opened.data)) return <AdminForm reason={elsewhere(opened.data.belongsTo, tenant)} />;
  return (
    <>
      {key === null && <AdminForm reason={REFUSED} />}
      <div hidden={key === null}>
        <AdminContext value={opened.data}>{children}</AdminContext>
      </div>
    </>
  );
}

/** Repeats the queries of a section that was read with another admin key, which was refused. */
function useNewAdminKey(key: string | null): void {
  const queryClient = useQueryClient();
  const last = useRef(key);
  useEffect(() => {
    if (key === null || key === last.current) return;
    const isOther = last.current !== null;
    last.current = key;
    if (isOther) void queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES] });
  }, [key, queryClient]);
}

/** Button that removes the admin key from this tab. */
export function LockButton() {
  const key = useAdminKey();
  const queryClient = useQueryClient();
  const isCreating = useIsMutating({ mutationKey: NEW_KEY }) > 0;
  if (key === null) return null;
  const lock = () => {
    adminKey.forget();
    queryClient.removeQueries({ queryKey: [ADMIN_QUERIES] });
  };
  return (
    <Button
      onClick={lock}
      disabled={isCreating}
      title="Remove the admin key from this tab"
      data-testid={testIds.adminLock}
    >
      <Icon name="lock" />
      Lock
    </Button>
  );
}

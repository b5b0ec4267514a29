import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { asProblem } from "../api/problem";
import { adminKey } from "../session/adminKey";
import { useSession } from "../session/SessionContext";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Field, Message } from "../ui/Form";
import { PageSection } from "../ui/section/PageSection";
import styles from "../ui/section/Section.module.css";
import { useWhileShown } from "../ui/useWhileShown";
import { elsewhere, refusal } from "./refusal";
import { type Admin, isElsewhere, openAdmin, openAdminKey } from "./useAdmin";

/** Form for an admin key. Stores a valid admin key in this tab. */
export function AdminForm({ reason }: { reason: string | null }) {
  const { tenant } = useSession();
  const queryClient = useQueryClient();
  // The answer may arrive after the user has signed out. The next user of the tab must not get the key.
  const keep = useWhileShown((key: string, admin: Admin) => {
    queryClient.setQueryData(openAdminKey(tenant), admin);
    adminKey.keep(key);
  });
  const unlocked = useMutation({
    mutationFn: async (key: string) => {
      const admin = await openAdmin(key, tenant);
      if (isElsewhere(admin)) return elsewhere(admin.belongsTo, tenant);
      keep(key, admin);
      return null;
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = String(new FormData(event.currentTarget).get("admin-key") ?? "").trim();
    if (key !== "") unlocked.mutate(key);
  };
  const message = unlocked.isError ? refusal(asProblem(unlocked.error)) : (unlocked.data ?? reason);
  return (
    <PageSection title="An admin key is needed">
      <p className={styles.text}>
        You are signed in with a query key, which reads logs and changes saved views, dashboards and alert
        rules. These settings need an admin key of tenant {tenant}. The command{" "}
        <code>logsieve key create {tenant} admin</code> creates one.
      </p>
      <form className={styles.form} onSubmit={submit} data-testid={testIds.adminForm}>
        <div className={styles.wide}>
          <Field
            label="Admin key"
            name="admin-key"
            type="password"
            isMono
            placeholder="ls_admin_…"
            autoComplete="off"
            spellCheck={false}
            required
            hint="It is kept in this tab only, until the tab is closed or you sign out."
            data-testid={testIds.adminKey}
          />
        </div>
        {message !== null && (
          <div className={styles.wide}>
            <Message data-testid={testIds.adminMessage}>{message}</Message>
          </div>
        )}
        <div className={styles.actions}>
          <Button type="submit" tone="primary" disabled={unlocked.isPending}>
            {unlocked.isPending ? "Checking…" : "Unlock settings"}
          </Button>
        </div>
      </form>
    </PageSection>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createAdminApi } from "../api/adminClient";
import { asProblem, sentence } from "../api/problem";
import { ADMIN_QUERIES } from "../session/adminKey";
import { useSession } from "../session/SessionContext";
import { LeaveNewKey, NEW_KEY } from "../settings/keys/LeaveNewKey";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./AddressAndKey.module.css";

const LABEL = "created in Get started";

/** Button that creates an ingest key and puts it into the field. Needs an admin key in this tab. */
export function CreateIngestKey({ adminKey, onKey }: { adminKey: string; onKey: (key: string) => void }) {
  const { tenant } = useSession();
  const queryClient = useQueryClient();
  const created = useMutation({
    mutationKey: NEW_KEY,
    mutationFn: () =>
      createAdminApi(adminKey, tenant).createKey({ purpose: "ingest", label: LABEL, expiresAt: null }),
    onSuccess: ({ key }) => {
      onKey(key);
      void queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES, "keys"] });
    },
  });
  return (
    <div className={styles.create}>
      <LeaveNewKey isCreating={created.isPending} />
      <Button
        disabled={created.isPending}
        onClick={() => created.mutate()}
        data-testid={testIds.createIngestKey}
      >
        <Icon name="key" />
        Create an ingest key
      </Button>
      <span role="status">
        {created.isSuccess &&
          "The new key is in the field. Copy the commands below now: the key cannot be shown again."}
        {created.isError && sentence(asProblem(created.error).message)}
      </span>
    </div>
  );
}

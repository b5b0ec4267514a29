import { useQuery } from "@tanstack/react-query";
import type { AdminKey } from "../../api/types";
import { usePreferences } from "../../preferences/preferences";
import { ADMIN_QUERIES, useAdminKey } from "../../session/adminKey";
import { useSession } from "../../session/SessionContext";
import { testIds } from "../../testIds";
import { LoggedText } from "../../text/LoggedText";
import { shownMinute } from "../../time/shownTime";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";
import { idOf, inOrder, isUsable, keyState } from "./keyState";
import { LabelButton } from "./LabelButton";
import { NewKeyForm } from "./NewKeyForm";
import { RevokeButton } from "./RevokeButton";

const HEADS = ["Key", "Purpose", "State", "Created", "Last used", "Ends", ""];

/** Shows the tenant's keys with purpose and last use. Creates, labels and revokes keys. */
export function KeysSection() {
  const { api, tenant } = useAdmin();
  const keys = useQuery({
    queryKey: [ADMIN_QUERIES, "keys", tenant.name],
    queryFn: ({ signal }) => api.keys(signal),
    staleTime: 0,
  });
  return (
    <PageSection title="Keys">
      <p className={styles.text}>
        An ingest key sends logs. A query key reads them, and changes saved views, dashboards and alert rules.
        An admin key changes settings. Only hashes of keys are stored: the text of a key is shown once, when
        it is created.
      </p>
      <NewKeyForm />
      <LoadProblem of={keys} />
      {keys.data !== undefined && <KeyTable keys={keys.data} />}
    </PageSection>
  );
}

function KeyTable({ keys }: { keys: readonly AdminKey[] }) {
  const now = Date.now();
  const own = [idOf(useAdminKey()), idOf(useSession().queryKey)];
  return (
    <ScrolledTable label="List of keys" heads={HEADS} isStacked>
      {inOrder(keys, now).map((key) => (
        <KeyRow key={key.id} shown={key} now={now} isOwn={own.includes(key.id)} />
      ))}
    </ScrolledTable>
  );
}

function KeyRow({ shown: key, now, isOwn }: { shown: AdminKey; now: number; isOwn: boolean }) {
  const { zone } = usePreferences();
  const state = keyState(key, now);
  const minute = (time: string | null, none: string) => {
    const [day = "", ...rest] = (time === null ? none : shownMinute(time, zone)).split(" ");
    return (
      <>
        <span className={styles.nowrap}>{day}</span> <span className={styles.nowrap}>{rest.join(" ")}</span>
      </>
    );
  };
  return (
    <tr data-is-over={!isUsable(state)} data-testid={testIds.keyRow}>
      <th scope="row">
        <div className={styles.labelled}>
          {key.label === "" ? (
            <span className={styles.muted}>no label</span>
          ) : (
            <LoggedText text={key.label} />
          )}
          <LabelButton shown={key} />
        </div>
        <code>{key.id}</code>
      </th>
      <td data-head="Purpose">{key.purpose}</td>
      <td data-head="State">
        <span className={styles.badge} data-tone={TONES[state]}>
          {state}
        </span>
      </td>
      <td data-head="Created">{minute(key.created_at, "")}</td>
      <td data-head="Last used">{minute(key.last_used_at, "never")}</td>
      <td data-head="Ends">{minute(key.revoked_at ?? key.expires_at, "never")}</td>
      <td data-align="right">{isUsable(state) && <RevokeButton shown={key} isOwn={isOwn} />}</td>
    </tr>
  );
}

const TONES = { works: "good", "expires soon": "bad", expired: undefined, revoked: undefined } as const;

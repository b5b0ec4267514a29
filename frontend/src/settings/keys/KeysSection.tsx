import { useQuery } from "@tanstack/react-query";
import type { AdminKey } from "../../api/types";
import { usePreferences } from "../../preferences/preferences";
import { ADMIN_QUERIES, useAdminKey } from "../../session/adminKey";
import { keyStorage } from "../../session/keyStorage";
import { testIds } from "../../testIds";
import { LoggedText } from "../../text/LoggedText";
import { LoadProblem } from "../LoadProblem";
import styles from "../Section.module.css";
import { shownMinute } from "../shownTime";
import { useAdmin } from "../useAdmin";
import { idOf, inOrder, isUsable, keyState } from "./keyState";
import { NewKeyForm } from "./NewKeyForm";
import { RevokeButton } from "./RevokeButton";

/** The tenant's keys: what each is for and when it was used; new ones are made and old ones revoked here. */
export function KeysSection() {
  const { api, tenant } = useAdmin();
  const keys = useQuery({
    queryKey: [ADMIN_QUERIES, "keys", tenant.name],
    queryFn: ({ signal }) => api.keys(signal),
    staleTime: 0,
  });
  return (
    <section className={styles.section} aria-labelledby="keys-title">
      <div className={styles.head}>
        <h2 id="keys-title">Keys</h2>
      </div>
      <p className={styles.text}>
        An ingest key sends logs, a query key reads them, an admin key changes settings. Only hashes of keys
        are stored: the text of a key is shown once, when it is created.
      </p>
      <NewKeyForm />
      {keys.isError && <LoadProblem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data !== undefined && <KeyTable keys={keys.data} />}
    </section>
  );
}

function KeyTable({ keys }: { keys: readonly AdminKey[] }) {
  const now = Date.now();
  const own = [idOf(useAdminKey()), idOf(keyStorage.read())];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys only where it can have the focus
    <section className={styles.scroller} tabIndex={0} aria-label="List of keys">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Purpose</th>
            <th scope="col">State</th>
            <th scope="col">Created</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {inOrder(keys, now).map((key) => (
            <KeyRow key={key.id} shown={key} now={now} isOwn={own.includes(key.id)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function KeyRow({ shown: key, now, isOwn }: { shown: AdminKey; now: number; isOwn: boolean }) {
  const { zone } = usePreferences();
  const state = keyState(key, now);
  const minute = (time: string | null, none: string) => (time === null ? none : shownMinute(time, zone));
  return (
    <tr data-is-over={!isUsable(state)} data-testid={testIds.keyRow}>
      <th scope="row">
        {key.label === "" ? <span className={styles.muted}>no label</span> : <LoggedText text={key.label} />}
        <br />
        <code>{key.id}</code>
      </th>
      <td>{key.purpose}</td>
      <td>
        <span className={styles.badge} data-tone={TONES[state]}>
          {state}
        </span>
      </td>
      <td className={styles.nowrap}>{minute(key.created_at, "")}</td>
      <td className={styles.nowrap}>{minute(key.last_used_at, "never")}</td>
      <td className={styles.nowrap}>{minute(key.revoked_at ?? key.expires_at, "never")}</td>
      <td data-align="right">{isUsable(state) && <RevokeButton shown={key} isOwn={isOwn} />}</td>
    </tr>
  );
}

const TONES = { works: "good", "expires soon": "bad", expired: undefined, revoked: undefined } as const;

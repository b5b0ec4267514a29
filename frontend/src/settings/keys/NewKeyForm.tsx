import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { KeyPurpose } from "../../api/types";
import { testIds } from "../../testIds";
import { Choice, Field } from "../../ui/Form";
import styles from "../../ui/section/Section.module.css";
import { resetSent } from "../resetSent";
import { SubmitRow } from "../SubmitRow";
import { useAdmin } from "../useAdmin";
import { useReread } from "../useReread";
import { expiryOf, LIVES } from "./keyState";
import { LeaveNewKey, NEW_KEY } from "./LeaveNewKey";
import { RevealedKey } from "./RevealedKey";

const PURPOSES = [
  ["ingest", "Ingest: send logs"],
  ["query", "Query: read logs, change alerts and dashboards"],
  ["admin", "Admin: change settings"],
] as const;

/** Form that creates a key and shows its text once. */
export function NewKeyForm() {
  const { api } = useAdmin();
  const reread = useReread("keys");
  const created = useMutation({
    mutationKey: NEW_KEY,
    mutationFn: api.createKey,
    // Not awaited, because the key is shown only after this function, and the list may fail or take long.
    onSuccess: () => void reread(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    const key = {
      purpose: String(values.get("purpose")) as KeyPurpose,
      label: String(values.get("label") ?? "").trim(),
      expiresAt: expiryOf(String(values.get("expiry") ?? ""), Date.now()),
    };
    created.mutate(key, { onSuccess: () => resetSent(form, values) });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="New key">
      <Choice label="Purpose" name="purpose" options={PURPOSES} data-testid={testIds.keyPurpose} />
      <Field
        label="Label"
        name="label"
        maxLength={100}
        placeholder="checkout, production"
        autoComplete="off"
        data-testid={testIds.keyLabel}
      />
      <Choice label="Expires" name="expiry" options={LIVES} data-testid={testIds.keyExpiry} />
      <SubmitRow mutation={created} data-testid={testIds.keyCreate}>
        Create key
      </SubmitRow>
      <LeaveNewKey isCreating={created.isPending} isShown={created.data !== undefined} />
      {created.data !== undefined && <RevealedKey created={created.data} onClose={created.reset} />}
    </form>
  );
}

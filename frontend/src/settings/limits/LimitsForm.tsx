import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { TenantChanges } from "../../api/adminClient";
import type { AdminTenant } from "../../api/types";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { Field, Message } from "../../ui/Form";
import styles from "../../ui/section/Section.module.css";
import { SubmitRow } from "../SubmitRow";
import { type Admin, openAdminKey, useAdmin } from "../useAdmin";
import { changesOf, type FieldName, LIMIT_FIELDS, limitMistake, limitOf, shownLimit } from "./limitFields";

/** Texts of the fields that differ from the stored limits, or did so before they were typed back. */
type EditedTexts = Readonly<Partial<Record<FieldName, string>>>;

/** Changed limits, and the texts that they were typed as. */
interface SentLimits {
  readonly changes: TenantChanges;
  readonly texts: EditedTexts;
}

/** Form that changes limits and retention: all of the changed values or none. */
export function LimitsForm() {
  const admin = useAdmin();
  const { api, tenant } = admin;
  const queryClient = useQueryClient();
  const [edited, setEdited] = useState<EditedTexts>({});
  const typed = { ...shownValues(tenant), ...edited };
  const saved = useMutation({
    mutationFn: ({ changes }: SentLimits) => api.change(changes),
    onSuccess: (changed, { texts }) => {
      queryClient.setQueryData<Admin>(openAdminKey(tenant.name), { ...admin, tenant: changed });
      // Values that were typed while the request ran are not saved yet.
      setEdited((latest) =>
        Object.fromEntries(
          Object.entries(latest).filter(([name, text]) => text !== texts[name as FieldName]),
        ),
      );
      return queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES] });
    },
  });
  const changes = changesOf(tenant, typed);
  const isWrong = LIMIT_FIELDS.some(({ name, isOptional }) => limitMistake(typed[name], isOptional) !== null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (changes !== null && !isWrong) saved.mutate({ changes, texts: edited });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Limits" data-testid={testIds.limits}>
      {LIMIT_FIELDS.map(({ name, label, hint, isOptional }) => (
        <Field
          key={name}
          label={label}
          name={name}
          inputMode="numeric"
          autoComplete="off"
          value={typed[name]}
          onChange={({ currentTarget: { value } }) => setEdited((before) => ({ ...before, [name]: value }))}
          mistake={limitMistake(typed[name], isOptional)}
          hint={hint}
          placeholder={isOptional ? shownLimit(null, { name, unit: "count" }) : ""}
        />
      ))}
      <SubmitRow mutation={saved} isDisabled={changes === null || isWrong} data-testid={testIds.limitsSave}>
        Save changes
      </SubmitRow>
      {saved.isSuccess && changes === null && (
        <div className={styles.wide}>
          <Message tone="good">Saved. Takes effect within {saved.data.effective_within_seconds} s.</Message>
        </div>
      )}
    </form>
  );
}

function shownValues(tenant: AdminTenant): Record<FieldName, string> {
  return Object.fromEntries(
    LIMIT_FIELDS.map(({ name }) => [name, limitOf(tenant, name)?.toString() ?? ""]),
  ) as Record<FieldName, string>;
}

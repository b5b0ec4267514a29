import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { TenantChanges } from "../../api/adminClient";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { Field } from "../../ui/Form";
import styles from "../Section.module.css";
import { SubmitRow } from "../SubmitRow";
import { useAdmin } from "../useAdmin";
import { changesOf, type FieldName, LIMIT_FIELDS, limitMistake, limitOf, shownLimit } from "./limitFields";

/** Form that changes limits and retention: all of the changed values or none. */
export function LimitsForm() {
  const { api, tenant } = useAdmin();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState<Record<FieldName, string>>(
    () =>
      Object.fromEntries(
        LIMIT_FIELDS.map(({ name }) => [name, limitOf(tenant, name)?.toString() ?? ""]),
      ) as Record<FieldName, string>,
  );
  const saved = useMutation({
    mutationFn: (changes: TenantChanges) => api.change(changes),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ADMIN_QUERIES] }),
  });
  const changes = changesOf(tenant, typed);
  const isWrong = LIMIT_FIELDS.some(({ name, isOptional }) => limitMistake(typed[name], isOptional) !== null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (changes !== null && !isWrong) saved.mutate(changes);
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
          onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [name]: value }))}
          mistake={limitMistake(typed[name], isOptional)}
          hint={hint}
          placeholder={isOptional ? shownLimit(null, { name, unit: "count" }) : ""}
        />
      ))}
      <SubmitRow mutation={saved} isDisabled={changes === null || isWrong} data-testid={testIds.limitsSave}>
        Save changes
      </SubmitRow>
    </form>
  );
}

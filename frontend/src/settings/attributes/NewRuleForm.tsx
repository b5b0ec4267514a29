import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { testIds } from "../../testIds";
import { Choice, Field } from "../../ui/Form";
import styles from "../../ui/section/Section.module.css";
import { resetSent } from "../resetSent";
import { SubmitRow } from "../SubmitRow";
import { useAdmin } from "../useAdmin";

const ACTIONS = [
  ["mask", "Mask: store ***"],
  ["drop", "Drop: store nothing"],
] as const;

const MATCHES = [
  ["name", "This name"],
  ["prefix", "All names with this prefix"],
] as const;

/** Form that adds a rule, or changes the action of the rule on the same name. */
export function NewRuleForm({ onAdded }: { onAdded: () => void }) {
  const { api } = useAdmin();
  const added = useMutation({
    mutationFn: api.setRule,
    // Not awaited, because the form is reset only after this function, and the next name may be typed meanwhile.
    onSuccess: () => void onAdded(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    const name = String(values.get("name") ?? "").trim();
    const rule = {
      name,
      isPrefix: values.get("match") === "prefix",
      action: values.get("action") === "drop" ? ("drop" as const) : ("mask" as const),
    };
    if (name !== "") added.mutate(rule, { onSuccess: () => resetSent(form, values) });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="New attribute rule">
      <Field
        label="Attribute name"
        name="name"
        isMono
        required
        placeholder="user.email"
        autoComplete="off"
        spellCheck={false}
        data-testid={testIds.ruleName}
      />
      <Choice label="Match" name="match" options={MATCHES} />
      <Choice label="Action" name="action" options={ACTIONS} />
      <SubmitRow mutation={added} data-testid={testIds.ruleAdd}>
        Add rule
      </SubmitRow>
    </form>
  );
}

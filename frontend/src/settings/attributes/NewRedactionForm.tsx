import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { testIds } from "../../testIds";
import { Choice, Field } from "../../ui/Form";
import styles from "../../ui/section/Section.module.css";
import { SubmitRow } from "../SubmitRow";
import { useAdmin } from "../useAdmin";
import { BUILT_IN, type RedactionRequest, redactionRequest } from "./redactionRequest";

const CHOICES = [
  ["", "Your own expression"],
  ...BUILT_IN.map((name) => [name, `Built in: ${name}`] as const),
] as const;

/** Form that adds a redaction, or replaces the redaction of the same name. */
export function NewRedactionForm({ onAdded }: { onAdded: () => void }) {
  const { api } = useAdmin();
  const [chosen, setChosen] = useState(BUILT_IN[0] ?? "");
  const added = useMutation({
    mutationFn: ({ name, expression }: RedactionRequest) => api.setRedaction(name, expression),
    // Not awaited, because the list may fail or take long.
    onSuccess: () => void onAdded(),
  });
  const isBuiltIn = chosen !== "";
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const request = redactionRequest(
      chosen,
      String(values.get("name") ?? ""),
      String(values.get("expression") ?? ""),
    );
    if (request !== null) added.mutate(request);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="New redaction">
      <Choice
        label="Redaction"
        options={CHOICES}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Field
        label="Name"
        name="name"
        hidden={isBuiltIn}
        isMono
        required
        placeholder="session"
        autoComplete="off"
        spellCheck={false}
        data-testid={testIds.redactionName}
      />
      <Field
        label="RE2 expression"
        name="expression"
        hidden={isBuiltIn}
        isMono
        required
        maxLength={512}
        placeholder="sid=[0-9a-f]{32}"
        autoComplete="off"
        spellCheck={false}
        data-testid={testIds.redactionExpression}
      />
      <SubmitRow mutation={added} data-testid={testIds.redactionAdd}>
        Add redaction
      </SubmitRow>
    </form>
  );
}

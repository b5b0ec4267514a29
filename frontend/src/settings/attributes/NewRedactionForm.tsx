import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asProblem, sentence } from "../../api/problem";
import { testIds } from "../../testIds";
import { Button } from "../../ui/Button";
import { Choice, Field, Message } from "../../ui/Form";
import styles from "../Section.module.css";
import { useAdmin } from "../useAdmin";
import { BUILT_IN, type RedactionRequest, redactionRequest } from "./redactionRequest";

const CHOICES = [
  ["", "Of an expression"],
  ...BUILT_IN.map((name) => [name, `Built in: ${name}`] as const),
] as const;

/** Adds a redaction, or replaces the one of the same name. */
export function NewRedactionForm({ onAdded }: { onAdded: () => void }) {
  const { api } = useAdmin();
  const [chosen, setChosen] = useState<string>(BUILT_IN[0]);
  const added = useMutation({
    mutationFn: ({ name, expression }: RedactionRequest) => api.setRedaction(name, expression),
    onSuccess: onAdded,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const asked = redactionRequest(
      chosen,
      String(values.get("name") ?? ""),
      String(values.get("expression") ?? ""),
    );
    if (asked !== null) added.mutate(asked);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="New redaction">
      <Choice
        label="Redaction"
        options={CHOICES}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {chosen === "" && (
        <>
          <Field
            label="Name"
            name="name"
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
            isMono
            required
            maxLength={512}
            placeholder="sid=[0-9a-f]{32}"
            autoComplete="off"
            spellCheck={false}
            data-testid={testIds.redactionExpression}
          />
        </>
      )}
      {added.isError && (
        <div className={styles.wide}>
          <Message>{sentence(asProblem(added.error).message)}</Message>
        </div>
      )}
      <div className={styles.actions}>
        <Button type="submit" tone="primary" disabled={added.isPending} data-testid={testIds.redactionAdd}>
          Add redaction
        </Button>
      </div>
    </form>
  );
}

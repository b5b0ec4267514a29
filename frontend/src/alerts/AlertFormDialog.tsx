import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { changeProblem, objectToReplace } from "../api/revision";
import type { Alert, AlertMembers } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import dialog from "../ui/dialog/Dialog.module.css";
import { EditDialog } from "../ui/dialog/EditDialog";
import { Choice, Field, Message } from "../ui/Form";
import { useWhileShown } from "../ui/useWhileShown";
import styles from "./AlertForm.module.css";
import { AlertPreview } from "./AlertPreview";
import {
  CHANNELS,
  COMPARISONS,
  choicesWith,
  HOLDS,
  INTERVALS,
  RANGES,
  readAlertForm,
  SEVERITIES,
} from "./alertForm";
import { useSaveAlert } from "./alertQueries";
import { secondsText } from "./alertText";

interface AlertFormDialogProps {
  /** The rule that is changed; null for a new rule. */
  readonly alert: Alert | null;
  readonly onClose: () => void;
  readonly onSaved: (alert: Alert) => void;
}

const FIRST_QUERY = "severity:>=error | stats count() by service";
const FIRST_CONDITION: AlertMembers["condition"] = { column: "count()", comparison: ">", threshold: 0 };

/** Says which queries a rule can have. */
function QueryHint() {
  return (
    <>
      A query with <code>| stats</code>. Each group of <code>by</code> has its own state. <code>time(…)</code>{" "}
      is not allowed.
    </>
  );
}

/** Dialog that creates or changes a rule. */
export function AlertFormDialog({ alert, onClose, onSaved }: AlertFormDialogProps) {
  // The fields show the rule as it was when the dialog opened, also after another user has changed it.
  const [edited] = useState(alert);
  const [comparison, setComparison] = useState<string>(edited?.condition.comparison ?? ">");
  const [channel, setChannel] = useState<string>(edited === null ? "webhook" : "stored");
  const leaving = useRef(false);
  const saved = useSaveAlert(
    useWhileShown((stored: Alert) => {
      onClose();
      if (!leaving.current) onSaved(stored);
    }),
  );
  const [previewed, setPreviewed] = useState<Pick<AlertMembers, "query" | "range_seconds" | "condition">>(
    () => ({
      query: edited?.query ?? FIRST_QUERY,
      range_seconds: edited?.range_seconds ?? 300,
      condition: edited?.condition ?? FIRST_CONDITION,
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const replaced = objectToReplace(edited, alert, saved);
    saved.mutate({ alert: replaced, members: readAlertForm(new FormData(event.currentTarget), replaced) });
  };
  const times = (choices: readonly number[], own: number | undefined) =>
    choicesWith(choices, own).map(
      (seconds) => [String(seconds), seconds === 0 ? "0 s (at once)" : secondsText(seconds)] as const,
    );
  const hasDestination = channel !== "stored" && channel !== "none";
  return (
    <EditDialog
      title={edited === null ? "New alert rule" : `Edit rule ${visibleText(edited.name)}`}
      object="rule"
      isSaving={saved.isPending}
      leaving={leaving}
      onClose={onClose}
    >
      <form
        className={styles.form}
        onSubmit={submit}
        onChange={({ currentTarget }) => setPreviewed(readAlertForm(new FormData(currentTarget), edited))}
      >
        <div className={styles.wide}>
          <Field
            label="Name"
            name="name"
            required
            maxLength={100}
            defaultValue={edited?.name ?? ""}
            autoComplete="off"
            data-testid={testIds.alertName}
          />
        </div>
        <div className={styles.wide}>
          <Field
            label="Query"
            name="query"
            required
            isMono
            defaultValue={edited?.query ?? FIRST_QUERY}
            autoComplete="off"
            spellCheck={false}
            hint={<QueryHint />}
            data-testid={testIds.alertQuery}
          />
        </div>
        <Field
          label="Fires if the column"
          name="column"
          required
          isMono
          defaultValue={edited?.condition.column ?? "count()"}
        />
        <Choice
          label="is"
          name="comparison"
          value={comparison}
          options={COMPARISONS.map(
            (each) => [each, each === "no_data" ? "no data (0 or no number)" : each] as const,
          )}
          // The form reads the threshold for the preview afterwards, which it finds only in a shown field.
          onChange={({ target }) => flushSync(() => setComparison(target.value))}
        />
        <Field
          label="Threshold"
          name="threshold"
          type="number"
          step="any"
          required
          hidden={comparison === "no_data"}
          defaultValue={edited?.condition.threshold ?? 0}
          data-testid={testIds.alertThreshold}
        />
        <Choice
          label="Fires after the condition has held for"
          name="for"
          defaultValue={edited?.for_seconds ?? 0}
          options={times(HOLDS, edited?.for_seconds)}
        />
        <Choice
          label="Length of the evaluated range"
          name="range"
          defaultValue={edited?.range_seconds ?? 300}
          options={times(RANGES, edited?.range_seconds)}
        />
        <Choice
          label="Evaluated every"
          name="interval"
          defaultValue={edited?.interval_seconds ?? 60}
          options={times(INTERVALS, edited?.interval_seconds)}
        />
        <AlertPreview rule={previewed} />
        <Choice
          label="Severity"
          name="severity"
          defaultValue={edited?.severity ?? "warning"}
          options={SEVERITIES.map((each) => [each, each] as const)}
        />
        <Choice
          label="Notices to"
          name="channel"
          value={channel}
          options={[...(edited === null ? [] : [["stored", "the stored channels"] as const]), ...CHANNELS]}
          onChange={({ target }) => setChannel(target.value)}
        />
        <div className={styles.wide} hidden={!hasDestination}>
          <Field
            label={channel === "email" ? "Recipients" : "URL"}
            name="destination"
            required
            isMono
            hidden={!hasDestination}
            autoComplete="off"
            hint={
              channel === "email"
                ? "Up to 10 addresses."
                : "Keep a copy of this URL: it cannot be shown again."
            }
            data-testid={testIds.alertDestination}
          />
        </div>
        {saved.isError && (
          <div className={styles.wide}>
            <Message>{changeProblem(saved.error, "rule")}</Message>
          </div>
        )}
        <div className={`${dialog.actions} ${styles.wide}`}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={saved.isPending} data-testid={testIds.alertSubmit}>
            Save
          </Button>
        </div>
      </form>
    </EditDialog>
  );
}

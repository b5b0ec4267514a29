import { useEffect, useId, useState } from "react";
import {
  countOverTime,
  FUNCTIONS,
  readStats,
  type StatsForm,
  takesField,
  writeStats,
} from "../language/statsForm";
import { TIME_STEPS } from "../language/timeStep";
import { testIds } from "../testIds";
import type { TimeWindow } from "../time/timeExpression";
import styles from "./Chart.module.css";

interface StatsBuilderProps {
  /** The text after `| stats`. */
  readonly text: string;
  readonly window: TimeWindow;
  /** Names of fields to suggest. */
  readonly fields: readonly string[];
  readonly onText: (text: string) => void;
}

/**
 * Form that writes the text after `| stats`. If the text has parts for which the form has no fields, the text is shown
 * instead of the form.
 */
export function StatsBuilder({ text, window, fields, onText }: StatsBuilderProps) {
  const read = readStats(text);
  const [form, setForm] = useState<StatsForm>(() => read ?? countOverTime(window));
  // The form follows the query bar, which is the other way to change the text.
  useEffect(() => {
    const shown = readStats(text);
    if (shown !== null) setForm(shown);
  }, [text]);
  const suggestions = useId();
  const change = (changes: Partial<StatsForm>) => {
    const next = { ...form, ...changes };
    setForm(next);
    const written = writeStats(next);
    if (written !== null && written !== text) onText(written);
  };
  if (read === null && writeStats(form) !== null) {
    return (
      <p className={styles.builder}>
        <span className={styles.written}>
          This form cannot show <code>{text}</code>. Change it in the query above.
        </span>
        <button type="button" className={styles.open} onClick={() => change(countOverTime(window))}>
          Replace it by a count over time
        </button>
      </p>
    );
  }
  return (
    <form
      className={styles.builder}
      aria-label="Numbers to show"
      onSubmit={(event) => event.preventDefault()}
    >
      <label>
        Show{" "}
        <select
          value={form.name}
          data-testid={testIds.statsFunction}
          onChange={({ target }) => change({ name: target.value as StatsForm["name"] })}
        >
          {FUNCTIONS.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {takesField(form.name) && (
        <FieldInput
          label="field"
          value={form.field}
          list={suggestions}
          isNeeded
          testId={testIds.statsField}
          onValue={(field) => change({ field })}
        />
      )}
      <FieldInput
        label="by"
        value={form.by}
        list={suggestions}
        testId={testIds.statsBy}
        onValue={(by) => change({ by })}
      />
      <label>
        over time{" "}
        <select
          value={form.step}
          data-testid={testIds.statsStep}
          onChange={({ target }) => change({ step: target.value })}
        >
          <option value="">no</option>
          {!TIME_STEPS.some(([step]) => step === form.step) && form.step !== "" && (
            <option value={form.step}>every {form.step}</option>
          )}
          {TIME_STEPS.map(([step]) => (
            <option key={step} value={step}>
              every {step}
            </option>
          ))}
        </select>
      </label>
      {writeStats(form) === null && (
        <span role="status" className={styles.written} data-testid={testIds.statsIncomplete}>
          Enter a field. Until then, the chart does not change.
        </span>
      )}
      <datalist id={suggestions}>
        {fields.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </form>
  );
}

interface FieldInputProps {
  readonly label: string;
  readonly value: string;
  readonly list: string;
  readonly isNeeded?: boolean;
  readonly testId: string;
  readonly onValue: (value: string) => void;
}

/**
 * Input for the name of a field. The name takes effect when the user presses Enter, leaves the input or chooses a
 * suggestion.
 */
function FieldInput({ label, value, list, isNeeded = false, testId, onValue }: FieldInputProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = (text: string) => {
    const name = text.trim();
    // The form writes its own limit, so applying an unchanged name could change a text with another limit. A name may
    // have spaces at its ends.
    if (text !== value && name !== value) onValue(name);
  };
  return (
    <label>
      {label}{" "}
      <input
        value={typed}
        list={list}
        size={16}
        placeholder={isNeeded ? "name of a field" : "no field"}
        spellCheck={false}
        autoComplete="off"
        data-testid={testId}
        onChange={({ target, nativeEvent }) => {
          setTyped(target.value);
          // Browsers report the choice of a suggestion as an input event of another kind than typing.
          if (!(nativeEvent instanceof InputEvent) || nativeEvent.inputType === "insertReplacementText")
            apply(target.value);
        }}
        onBlur={() => apply(typed)}
        onKeyDown={({ key }) => key === "Enter" && apply(typed)}
      />
    </label>
  );
}

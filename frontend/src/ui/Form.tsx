import type { ComponentProps } from "react";
import { useId } from "react";
import styles from "./Form.module.css";

interface FieldProps extends Omit<ComponentProps<"input">, "id"> {
  readonly label: string;
  /** Sentence under the field. */
  readonly hint?: React.ReactNode;
  /** Sentence about the error in the value; null for a valid value. */
  readonly mistake?: string | null;
  readonly isMono?: boolean;
}

/**
 * A text field with its label, and under it the error in its value, or a hint. A hidden field keeps its text, which is not
 * in the values of its form.
 */
export function Field({ label, hint, mistake = null, isMono = false, hidden = false, ...input }: FieldProps) {
  const id = useId();
  const hasNote = mistake !== null || hint !== undefined;
  return (
    <div className={styles.field} hidden={hidden}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        disabled={hidden}
        className={styles.input}
        data-mono={isMono}
        aria-invalid={mistake !== null || undefined}
        aria-describedby={hasNote ? `${id}-note` : undefined}
        {...input}
      />
      {hasNote && (
        <p id={`${id}-note`} className={styles.hint} style={mistake === null ? {} : MISTAKE}>
          {mistake ?? hint}
        </p>
      )}
    </div>
  );
}

const MISTAKE = { color: "var(--danger)" };

interface ChoiceProps extends Omit<ComponentProps<"select">, "id"> {
  readonly label: string;
  /** Values to choose from, each with its text. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A choice of one value from a list, with its label. */
export function Choice({ label, options, ...select }: ChoiceProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} className={styles.input} {...select}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface MessageProps {
  readonly tone?: "bad" | "good" | "warning";
  readonly children: React.ReactNode;
  readonly "data-testid"?: string;
}

/** A sentence about the last action, which screen readers announce. */
export function Message({ tone = "bad", children, "data-testid": testId }: MessageProps) {
  return (
    <p
      className={styles.message}
      data-tone={tone}
      role={tone === "bad" ? "alert" : "status"}
      data-testid={testId}
    >
      {children}
    </p>
  );
}

import type { UseMutationResult } from "@tanstack/react-query";
import { asProblem, sentence } from "../api/problem";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import styles from "./Section.module.css";

interface SubmitRowProps {
  /** What the form starts. */
  readonly mutation: Pick<UseMutationResult, "error" | "isError" | "isPending">;
  /** True where the form is not filled in so that it can be sent. */
  readonly isDisabled?: boolean;
  readonly children: React.ReactNode;
  readonly "data-testid": string;
}

/** The end of a form of Settings: why the last try was refused, and the button that sends the form. */
export function SubmitRow({ mutation, isDisabled = false, children, ...rest }: SubmitRowProps) {
  return (
    <>
      {mutation.isError && (
        <div className={styles.wide}>
          <Message>{sentence(asProblem(mutation.error).message)}</Message>
        </div>
      )}
      <div className={styles.actions}>
        <Button type="submit" tone="primary" disabled={isDisabled || mutation.isPending} {...rest}>
          {children}
        </Button>
      </div>
    </>
  );
}

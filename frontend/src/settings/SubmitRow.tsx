import type { UseMutationResult } from "@tanstack/react-query";
import { asProblem, sentence } from "../api/problem";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import styles from "../ui/section/Section.module.css";

interface SubmitRowProps {
  /** The request that the form sends. */
  readonly mutation: Pick<UseMutationResult, "error" | "isError" | "isPending">;
  /** True while the form is incomplete or invalid and cannot be sent. */
  readonly isDisabled?: boolean;
  readonly children: React.ReactNode;
  readonly "data-testid": string;
}

/** End of a form in Settings: the error of the last attempt, and the button that sends the form. */
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

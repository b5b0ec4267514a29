import { asProblem, sentence } from "../api/problem";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import styles from "./Section.module.css";

/** Says why a part of Settings could not be read, in the place where it would be. */
export function LoadProblem({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className={styles.actions}>
      <Message>{sentence(asProblem(error).message)}</Message>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}

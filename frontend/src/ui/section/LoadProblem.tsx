import type { UseQueryResult } from "@tanstack/react-query";
import { asProblem, sentence } from "../../api/problem";
import { Button } from "../Button";
import { Message } from "../Form";
import styles from "./Section.module.css";

/**
 * Shows why a part of a page could not be loaded, in place of that part or above what was loaded before. Shows nothing
 * without an error.
 */
export function LoadProblem({ of }: { of: Pick<UseQueryResult, "error" | "isError" | "refetch"> }) {
  if (!of.isError) return null;
  return (
    <div className={styles.actions}>
      <Message>{sentence(asProblem(of.error).message)}</Message>
      <Button onClick={() => void of.refetch()}>Try again</Button>
    </div>
  );
}

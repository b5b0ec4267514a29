import { useEffect, useState } from "react";

/** Milliseconds for which a running request keeps a dialog open. */
const ANSWER_MS = 10_000;

/**
 * Returns whether a dialog stays open because of its running request, which cannot be taken back. After ANSWER_MS without
 * an answer, the user may close the dialog.
 */
export function useIsHeld(isPending: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLate(true), ANSWER_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isPending]);
  return isPending && !isLate;
}

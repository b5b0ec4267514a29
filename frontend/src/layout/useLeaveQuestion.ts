import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Returns the blocker of a page that asks before the user leaves it while `isHeld`. Its status is "blocked" while the user
 * must be asked. If `isHeld` ends meanwhile, the page stays open without a question.
 */
export function useLeaveQuestion(isHeld: boolean) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => next.pathname !== current.pathname,
    // With a blocker, every change of the address waits for its answer.
    disabled: !isHeld,
    enableBeforeUnload: true,
    withResolver: true,
  });
  useEffect(() => {
    if (!isHeld && leaving.status === "blocked") leaving.reset();
  }, [isHeld, leaving]);
  return leaving;
}

import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";

// Loaded when it is first shown, because few users leave the page while an export runs.
const LeaveExportDialog = lazy(() => import("./LeaveExportDialog"));

interface LeaveExportProps {
  readonly isRunning: boolean;
  readonly onCancel: () => void;
}

/** Asks before the user leaves the search page while an export runs, because leaving the page cancels the export. */
export function LeaveExport({ isRunning, onCancel }: LeaveExportProps) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => next.pathname !== current.pathname,
    // With a blocker, every change of the address waits for its answer, so there is none without an export.
    disabled: !isRunning,
    enableBeforeUnload: true,
    withResolver: true,
  });
  // An export that ends meanwhile closes the dialog. The page stays open, because it says how the export ended.
  useEffect(() => {
    if (!isRunning && leaving.status === "blocked") leaving.reset();
  }, [isRunning, leaving]);
  if (leaving.status !== "blocked") return null;
  const leave = () => {
    onCancel();
    leaving.proceed();
  };
  return (
    <Suspense>
      <LeaveExportDialog onStay={leaving.reset} onLeave={leave} />
    </Suspense>
  );
}

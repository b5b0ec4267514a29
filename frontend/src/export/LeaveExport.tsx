import { lazy, Suspense } from "react";
import { useLeaveQuestion } from "../layout/useLeaveQuestion";

// Loaded when it is first shown, because few users leave the page while an export runs.
const LeaveExportDialog = lazy(() => import("./LeaveExportDialog"));

interface LeaveExportProps {
  readonly isRunning: boolean;
  readonly onCancel: () => void;
}

/** Asks before the user leaves the search page while an export runs, because leaving the page cancels the export. */
export function LeaveExport({ isRunning, onCancel }: LeaveExportProps) {
  // An export that ends meanwhile closes the dialog. The page stays open, because it says how the export ended.
  const leaving = useLeaveQuestion(isRunning);
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

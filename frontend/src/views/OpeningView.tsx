import { Page } from "../layout/Page";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Failure";
import type { FirstView } from "./useFirstView";

/** Page that is shown instead of the search page while the view of a link is read, and if it cannot be read. */
export function OpeningView({ problem, onRetry, onSkip }: FirstView) {
  return (
    <Page title="Saved view" data-testid={testIds.viewOpening}>
      {problem === null ? (
        <p role="status">Opening the view…</p>
      ) : (
        <>
          <Failure problem={problem} onRetry={onRetry} />
          <Button onClick={onSkip}>Search without the view</Button>
        </>
      )}
    </Page>
  );
}

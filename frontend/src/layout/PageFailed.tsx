import { asProblem } from "../api/problem";
import { testIds } from "../testIds";
import { Failure } from "../ui/Failure";
import { Page } from "./Page";

/** Shown instead of a page that failed, for example because its code could not be loaded. */
export function PageFailed({ error }: { error: unknown }) {
  return (
    <Page title="This page failed" data-testid={testIds.pageFailed}>
      <Failure problem={asProblem(error)} onRetry={() => window.location.reload()} />
    </Page>
  );
}

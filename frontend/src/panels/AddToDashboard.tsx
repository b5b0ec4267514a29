import { lazy, Suspense, useState } from "react";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { SearchState } from "../url/searchState";

// Loaded when it is first opened, because most visits add no panel.
const AddToDashboardDialog = lazy(() => import("./AddToDashboardDialog"));

interface AddToDashboardProps {
  /** Returns the search whose chart becomes a panel; null if there is no chart, because the range is empty. */
  readonly chart: () => SearchState | null;
  /** Text beside the icon; without it, the button is an icon alone. */
  readonly caption?: React.ReactNode;
}

const LABEL = "Add to dashboard";

/** Button that opens the dialog which adds the chart beside it to a dashboard. */
export function AddToDashboard({ chart, caption }: AddToDashboardProps) {
  const [added, setAdded] = useState<SearchState | null>(null);
  const open = { "data-testid": testIds.addToDashboard, onClick: () => setAdded(chart()) };
  return (
    <>
      {caption === undefined ? (
        <IconButton label={LABEL} {...open}>
          <Icon name="grid" />
        </IconButton>
      ) : (
        <Button size="small" tone="ghost" aria-label={LABEL} title="Add this chart to a dashboard" {...open}>
          <Icon name="grid" />
          {caption}
        </Button>
      )}
      {added !== null && (
        <Suspense>
          <AddToDashboardDialog search={added} viewId={added.view} onClose={() => setAdded(null)} />
        </Suspense>
      )}
    </>
  );
}

import { memo } from "react";
import { ResizablePanel } from "../layout/ResizablePanel";
import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Facets.module.css";
import { FieldBrowser, type FieldBrowserProps } from "./FieldBrowser";

/** Shows the fields of matching records, in a panel beside the results that the user can hide. */
export const FacetPanel = memo(function FacetPanel(props: Omit<FieldBrowserProps, "children">) {
  const { facets } = usePreferences();
  const toggle = (
    <IconButton
      label={facets ? "Hide the fields" : "Show the fields"}
      aria-expanded={facets}
      data-testid={testIds.facetsToggle}
      onClick={() => setPreferences({ facets: !facets })}
    >
      <Icon name={facets ? "close" : "plan"} />
    </IconButton>
  );
  const list = (
    <aside className={styles.panel} data-open={facets} aria-label="Fields" data-testid={testIds.facets}>
      {facets ? (
        <FieldBrowser {...props}>{toggle}</FieldBrowser>
      ) : (
        <div className={styles.head}>{toggle}</div>
      )}
    </aside>
  );
  if (!facets) return list;
  return (
    <ResizablePanel panel="fields" side="left" label="Width of the fields">
      {list}
    </ResizablePanel>
  );
});

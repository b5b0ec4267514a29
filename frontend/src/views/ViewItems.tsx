import { DropdownMenu } from "radix-ui";
import type { ListedView } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { Icon } from "../ui/Icon";
import { MenuItem, MenuLabel } from "../ui/Menu";
import { inFolders } from "./inFolders";
import styles from "./ViewsMenu.module.css";
import type { useViewList } from "./viewQueries";

interface ViewItemsProps {
  /** State of the query for the tenant's views. */
  readonly listed: ReturnType<typeof useViewList>;
  /** Id of the view that is open; null for none. */
  readonly openId: string | null;
  /** Text of a tenant without views. */
  readonly none: string;
  readonly onSelect: (view: ListedView) => void;
}

/** The tenant's saved views in a menu, by folder. */
export function ViewItems({ listed, openId, none, onSelect }: ViewItemsProps) {
  return (
    <>
      {listed.isError && <MenuLabel>The saved views could not be read. Open the menu again.</MenuLabel>}
      {listed.data?.length === 0 && <MenuLabel>{none}</MenuLabel>}
      {inFolders(listed.data ?? []).map(([folder, inside]) => (
        <DropdownMenu.Group key={folder}>
          <MenuLabel>{folder === "" ? "Views" : <LoggedText text={folder} />}</MenuLabel>
          {inside.map((view) => (
            <MenuItem
              key={view.id}
              aria-current={view.id === openId || undefined}
              data-testid={testIds.viewItem}
              onSelect={() => onSelect(view)}
            >
              {view.id === openId && (
                <span className={styles.open}>
                  <Icon name="check" size={11} />
                </span>
              )}
              <LoggedText text={view.name} />
              {view.is_default && <span className={styles.note}> default</span>}
            </MenuItem>
          ))}
        </DropdownMenu.Group>
      ))}
    </>
  );
}

import { useRouter } from "@tanstack/react-router";
import { DropdownMenu } from "radix-ui";
import { lazy, memo, Suspense, useRef, useState } from "react";
import type { ListedView } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem } from "../ui/Menu";
import { useCopy } from "../ui/useCopy";
import { useWhileShown } from "../ui/useWhileShown";
import type { SearchState } from "../url/searchState";
import { ViewItems } from "./ViewItems";
import styles from "./ViewsMenu.module.css";
import { useReadView, useView, useViewList } from "./viewQueries";
import { isChanged, stateOf, viewLink } from "./viewState";

// Loaded when they are first opened, because most visits save and delete no view.
const DeleteViewDialog = lazy(() => import("./DeleteViewDialog"));
const SaveViewDialog = lazy(() => import("./SaveViewDialog"));

interface ViewsMenuProps {
  readonly state: SearchState;
  /** Returns the text in the query bar. A view is saved with this text, even if it was not run. */
  readonly typed: () => Pick<SearchState, "query" | "stats">;
  readonly onOpen: (changes: Partial<SearchState>) => void;
}

/** A dialog and the id of its view. A dialog about another view than the open one is not shown. */
interface ViewDialog {
  readonly kind: "new" | "change" | "delete";
  readonly of: string | null;
}

/**
 * Menu of the tenant's saved views. It opens a view, saves the search as a view, and changes or deletes the open view.
 */
export const ViewsMenu = memo(function ViewsMenu({ state, typed, onOpen }: ViewsMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<ViewDialog | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const listed = useViewList(isOpen);
  const { data: view } = useView(state.view);
  const readView = useReadView();
  const { said, copy } = useCopy();
  const { history } = useRouter();
  const clicks = useRef(0);
  const close = () => setDialog(null);
  const open = async ({ id, name }: ListedView) => {
    setProblem(null);
    clicks.current += 1;
    const click = clicks.current;
    const { href } = history.location;
    // The user may have opened another view, search or page before the answer arrives.
    const isWanted = () => clicks.current === click && history.location.href === href;
    try {
      const read = await readView(id);
      if (isWanted()) onOpen({ ...stateOf(read), view: id });
    } catch {
      if (!isWanted()) return;
      setProblem(
        `View ${visibleText(name)} could not be opened. It may have been deleted. Open the menu again to read the list of views.`,
      );
    }
  };
  const current = () => ({ ...state, ...typed() });
  // Another view may be open when the answer arrives.
  const leave = useWhileShown((id: string) => {
    if (state.view === id) onOpen({ view: null });
  });
  return (
    <>
      <DropdownMenu.Root open={isOpen} onOpenChange={setOpen} modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button size="large" title={title(view?.name)} data-testid={testIds.views}>
            <Icon name="bookmark" />
            <span className={styles.name}>
              {view === undefined ? "Views" : <LoggedText text={view.name} />}
            </span>
            {view !== undefined && isChanged(view, state) && <span className={styles.changed}>changed</span>}
            <Icon name="down" size={10} />
          </Button>
        </DropdownMenu.Trigger>
        <MenuContent align="end" className={styles.menu}>
          <ViewItems
            listed={listed}
            openId={state.view}
            none="No saved views yet"
            onSelect={(each) => void open(each)}
          />
          <DropdownMenu.Separator className={styles.line} />
          <MenuItem data-testid={testIds.viewSaveNew} onSelect={() => setDialog({ kind: "new", of: null })}>
            Save as a new view…
          </MenuItem>
          {view !== undefined && (
            <>
              <MenuItem
                data-testid={testIds.viewSave}
                onSelect={() => setDialog({ kind: "change", of: view.id })}
              >
                Change <LoggedText text={view.name} />…
              </MenuItem>
              <MenuItem
                data-testid={testIds.viewLink}
                onSelect={() => copy(viewLink(globalThis.location.href, view.id))}
              >
                Copy a link to <LoggedText text={view.name} />
              </MenuItem>
              <MenuItem
                data-testid={testIds.viewDelete}
                onSelect={() => setDialog({ kind: "delete", of: view.id })}
              >
                Delete <LoggedText text={view.name} />…
              </MenuItem>
            </>
          )}
        </MenuContent>
      </DropdownMenu.Root>
      <span className="visually-hidden" role="status">
        {said}
      </span>
      {problem !== null && (
        <p className={styles.problem} role="alert" data-testid={testIds.viewMessage}>
          {problem}
        </p>
      )}
      <Suspense>
        {dialog?.kind === "new" && (
          <SaveViewDialog
            view={null}
            state={current()}
            onClose={close}
            onSaved={(id) => onOpen({ view: id })}
          />
        )}
        {dialog?.kind === "change" && view?.id === dialog.of && (
          <SaveViewDialog
            view={view}
            state={current()}
            onClose={close}
            onSaved={(id) => onOpen({ view: id })}
          />
        )}
        {dialog?.kind === "delete" && view?.id === dialog.of && (
          <DeleteViewDialog view={view} onClose={close} onDeleted={leave} />
        )}
      </Suspense>
    </>
  );
});

function title(name: string | undefined): string {
  return name === undefined ? "Saved views of all users of the tenant" : `Saved view ${visibleText(name)}`;
}

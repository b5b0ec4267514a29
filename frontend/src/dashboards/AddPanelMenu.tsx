import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { View } from "../api/types";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem, MenuLabel } from "../ui/Menu";
import { inFolders } from "../views/inFolders";
import menu from "../views/ViewsMenu.module.css";
import { useReadView, useViewList } from "../views/viewQueries";

interface AddPanelMenuProps {
  readonly isFull: boolean;
  readonly onAdd: (view: View) => void;
}

/** Menu of the tenant's saved views, one of which is added as a panel. */
export function AddPanelMenu({ isFull, onAdd }: AddPanelMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const listed = useViewList(isOpen);
  const readView = useReadView();
  const add = async (id: string, name: string) => {
    setProblem(null);
    try {
      onAdd(await readView(id));
    } catch {
      setProblem(`View ${name} could not be read. Open the menu again to see which views there are.`);
    }
  };
  return (
    <>
      <DropdownMenu.Root open={isOpen} onOpenChange={setOpen} modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button
            disabled={isFull}
            title={isFull ? "The dashboard has as many panels as it may have" : undefined}
            data-testid={testIds.panelAdd}
          >
            Add a panel
            <Icon name="down" size={10} />
          </Button>
        </DropdownMenu.Trigger>
        <MenuContent align="start" className={menu.menu}>
          {listed.isError && <MenuLabel>The saved views could not be read</MenuLabel>}
          {listed.data?.length === 0 && (
            <MenuLabel>No saved views yet. Save a search as a view in Search first.</MenuLabel>
          )}
          {inFolders(listed.data ?? []).map(([folder, inside]) => (
            <DropdownMenu.Group key={folder}>
              <MenuLabel>{folder === "" ? "Views" : folder}</MenuLabel>
              {inside.map(({ id, name }) => (
                <MenuItem key={id} data-testid={testIds.viewItem} onSelect={() => void add(id, name)}>
                  {name}
                </MenuItem>
              ))}
            </DropdownMenu.Group>
          ))}
        </MenuContent>
      </DropdownMenu.Root>
      {problem !== null && <Message>{problem}</Message>}
    </>
  );
}

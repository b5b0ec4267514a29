import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { View } from "../api/types";
import { MAX_PANELS } from "../panels/panelList";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { Message } from "../ui/Form";
import { Icon } from "../ui/Icon";
import { MenuContent } from "../ui/Menu";
import { ViewItems } from "../views/ViewItems";
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
      setProblem(
        `View ${visibleText(name)} could not be read. It may have been deleted. Open the menu again to read the list of views.`,
      );
    }
  };
  return (
    <>
      <DropdownMenu.Root open={isOpen} onOpenChange={setOpen} modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button
            disabled={isFull}
            title={isFull ? `A dashboard has at most ${MAX_PANELS} panels. Remove a panel first.` : undefined}
            data-testid={testIds.panelAdd}
          >
            Add a panel
            <Icon name="down" size={10} />
          </Button>
        </DropdownMenu.Trigger>
        <MenuContent align="start" className={menu.menu}>
          <ViewItems
            listed={listed}
            openId={null}
            none="No saved views yet. Open Search, and save a search as a view."
            onSelect={({ id, name }) => void add(id, name)}
          />
        </MenuContent>
      </DropdownMenu.Root>
      {problem !== null && <Message>{problem}</Message>}
    </>
  );
}

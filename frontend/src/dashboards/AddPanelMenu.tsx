import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { View } from "../api/types";
import { testIds } from "../testIds";
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
          <ViewItems
            listed={listed}
            none="No saved views yet. Save a search as a view in Search first."
            onSelect={({ id, name }) => void add(id, name)}
          />
        </MenuContent>
      </DropdownMenu.Root>
      {problem !== null && <Message>{problem}</Message>}
    </>
  );
}

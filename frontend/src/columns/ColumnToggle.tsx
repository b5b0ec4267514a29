import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useColumns } from "./ColumnsContext";
import { hasColumn, toggleColumn } from "./columns";

interface ColumnToggleProps {
  /** The field's name as queries write it. */
  readonly field: string;
  /** Further props of the button, such as those that make it a stop of a list's arrow keys. */
  readonly button?: React.ComponentProps<"button">;
}

/** Shows a field as a column of the list, or no longer. */
export function ColumnToggle({ field, button }: ColumnToggleProps) {
  const { columns, setColumns } = useColumns();
  const isShown = hasColumn(columns, field);
  return (
    <IconButton
      {...button}
      label={isShown ? `Remove the column ${visibleText(field)}` : `Show ${visibleText(field)} as a column`}
      pressed={isShown}
      data-testid={testIds.columnToggle}
      onClick={() => setColumns(toggleColumn(columns, field))}
    >
      <Icon name="columns" />
    </IconButton>
  );
}

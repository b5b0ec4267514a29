import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useColumns } from "./ColumnsContext";
import { hasColumn, toggleColumn } from "./columns";

interface ColumnToggleProps extends React.ComponentProps<"button"> {
  /** The field's name as queries write it. */
  readonly field: string;
}

/** Shows a field as a column of the list, or no longer. */
export function ColumnToggle({ field, ...button }: ColumnToggleProps) {
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

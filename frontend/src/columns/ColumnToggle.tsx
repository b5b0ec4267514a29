import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useColumns } from "./ColumnsContext";
import { hasColumn, toggleColumn } from "./columns";

interface ColumnToggleProps extends React.ComponentProps<"button"> {
  /** Name of the field, written as in queries. */
  readonly field: string;
}

/** Button that adds the field as a column of the list, or removes it. */
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

import { DropdownMenu } from "radix-ui";
import { useColumns } from "../columns/ColumnsContext";
import { ColumnToggle } from "../columns/ColumnToggle";
import { hasColumn, toggleColumn } from "../columns/columns";
import type { FilterBy } from "../language/editQuery";
import { testIds } from "../testIds";
import { linkRuns } from "../text/linkRanges";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem } from "../ui/Menu";
import { useCopy } from "../ui/useCopy";
import styles from "./JsonTree.module.css";
import type { JsonNode } from "./jsonNode";
import { nodeActions, type RecordMember } from "./nodeActions";
import { copiedText } from "./nodeText";
import { pathText } from "./pathText";

interface RowActionsProps {
  readonly node: JsonNode;
  readonly source: string;
  readonly member: RecordMember;
  readonly isMenuOpen: boolean;
  readonly onMenu: (isOpen: boolean) => void;
  /** Moves the focus back to the row that opened the menu. */
  readonly onMenuClosed: () => void;
  readonly onFilter: FilterBy;
  readonly onTerm: (term: string) => void;
}

/** Shows the actions for a value as buttons, and as a menu that keys open. No button is a Tab stop. */
export function RowActions(props: RowActionsProps) {
  const { node, source, member, isMenuOpen, onMenu, onMenuClosed, onFilter, onTerm } = props;
  const { filter, column, words } = nodeActions(node, source, member);
  const { said, copy } = useCopy();
  const { columns, setColumns } = useColumns();
  const name = visibleText(member === "body" ? pathText(node.path) : String(node.path.at(-1) ?? ""));
  const links = [...new Set(linkRuns(node.text).flatMap(({ href }) => href ?? []))];
  const findWords = "Search for this name and value as words";
  return (
    <span className={styles.actions}>
      {filter !== null && (
        <>
          <IconButton
            tabIndex={-1}
            label={`Filter for ${name} with this value`}
            data-testid={testIds.filterFor}
            onClick={() => onFilter(filter.field, filter.value, false)}
          >
            <Icon name="plus" />
          </IconButton>
          <IconButton
            tabIndex={-1}
            label={`Exclude ${name} with this value`}
            data-testid={testIds.filterOut}
            onClick={() => onFilter(filter.field, filter.value, true)}
          >
            <Icon name="minus" />
          </IconButton>
        </>
      )}
      {words !== null && (
        <IconButton
          tabIndex={-1}
          label={findWords}
          data-testid={testIds.findWords}
          onClick={() => onTerm(words)}
        >
          <Icon name="search" />
        </IconButton>
      )}
      {column !== null && <ColumnToggle tabIndex={-1} field={column} />}
      <IconButton
        tabIndex={-1}
        label={said || `Copy ${name}`}
        data-testid={testIds.copyValue}
        onClick={() => copy(copiedText(node, source))}
      >
        <Icon name={said === "Copied" ? "check" : "copy"} />
      </IconButton>
      <span className="visually-hidden" role="status">
        {said}
      </span>
      <DropdownMenu.Root modal={false} open={isMenuOpen} onOpenChange={onMenu}>
        <DropdownMenu.Trigger asChild>
          <IconButton tabIndex={-1} label={`All actions of ${name} (Enter)`} data-testid={testIds.fieldMenu}>
            <Icon name="more" />
          </IconButton>
        </DropdownMenu.Trigger>
        <MenuContent
          align="end"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            onMenuClosed();
          }}
        >
          {filter !== null && (
            <>
              <MenuItem onSelect={() => onFilter(filter.field, filter.value, false)}>
                Filter for this value
              </MenuItem>
              <MenuItem onSelect={() => onFilter(filter.field, filter.value, true)}>
                Exclude this value
              </MenuItem>
            </>
          )}
          {words !== null && <MenuItem onSelect={() => onTerm(words)}>{findWords}</MenuItem>}
          {column !== null && (
            <MenuItem onSelect={() => setColumns(toggleColumn(columns, column))}>
              {hasColumn(columns, column) ? "Remove the column" : "Show as a column"}
            </MenuItem>
          )}
          <MenuItem onSelect={() => copy(copiedText(node, source))}>Copy the value</MenuItem>
          <MenuItem data-testid={testIds.copyPath} onSelect={() => copy(copiedPath(node, member))}>
            {member === "body" || node.path.length > 1 ? "Copy the path" : "Copy the name"}
          </MenuItem>
          {links.slice(0, 3).map((href) => (
            <MenuItem key={href} asChild>
              <a className={styles.link} href={href} target="_blank" rel="noopener noreferrer nofollow">
                Open {href}
              </a>
            </MenuItem>
          ))}
        </MenuContent>
      </DropdownMenu.Root>
    </span>
  );
}

function copiedPath({ path }: JsonNode, member: RecordMember): string {
  return member !== "body" && path.length === 1 ? String(path[0]) : pathText(path);
}

import { DropdownMenu } from "radix-ui";
import { indentedJson } from "../api/logJson";
import type { Log } from "../api/types";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem } from "../ui/Menu";
import { useCopy } from "../ui/useCopy";
import { recordCurl } from "./recordCurl";

/** Menu that copies the whole record in one of several forms. */
export function CopyRecordMenu({ record }: { readonly record: Log }) {
  const { said, copy } = useCopy();
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label={said || "Copy this record"} data-testid={testIds.detailCopy}>
            <Icon name={said === "Copied" ? "check" : "copy"} />
          </IconButton>
        </DropdownMenu.Trigger>
        <MenuContent align="end">
          <MenuItem data-testid={testIds.copyJson} onSelect={() => copy(indentedJson(record))}>
            Copy as JSON
          </MenuItem>
          <MenuItem
            data-testid={testIds.copyCurl}
            onSelect={() => copy(recordCurl(record, window.location.origin))}
          >
            Copy as curl
          </MenuItem>
        </MenuContent>
      </DropdownMenu.Root>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}

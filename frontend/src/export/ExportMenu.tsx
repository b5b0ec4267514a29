import { DropdownMenu } from "radix-ui";
import { sentence } from "../api/problem";
import { useColumns } from "../columns/ColumnsContext";
import { formatBytes, plural } from "../format/quantity";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem, MenuLabel } from "../ui/Menu";
import styles from "./ExportMenu.module.css";
import type { RunningExport } from "./useExport";

/** Exports all records that match the search. Shows how many bytes have arrived and, at the end, how many records. */
export function ExportMenu(exporting: RunningExport) {
  const { bytes, problem, saved, cancel, dismiss } = exporting;
  return (
    <>
      <span role="status">
        {bytes !== null && (
          <span className={styles.progress} data-testid={testIds.exportProgress}>
            {bytes === 0 ? "Exporting…" : `Exporting, ${formatBytes(bytes)}`}
            <Button size="small" tone="ghost" data-testid={testIds.exportCancel} onClick={cancel}>
              Cancel
            </Button>
          </span>
        )}
        {saved !== null && (
          <span className={styles.progress} data-testid={testIds.exportSaved}>
            <span title={saved.name}>{plural(saved.records, "log")} saved</span>
            <IconButton label="Dismiss" onClick={dismiss}>
              <Icon name="close" size={12} />
            </IconButton>
          </span>
        )}
      </span>
      {problem !== null && (
        <span className={styles.problem} role="alert" data-testid={testIds.error}>
          <span className={styles.detail} title={problem.message}>
            {`Export failed. ${sentence(problem.message)}`}
          </span>
          <IconButton label="Dismiss" onClick={dismiss}>
            <Icon name="close" size={12} />
          </IconButton>
        </span>
      )}
      {bytes === null && problem === null && <Formats start={exporting.start} />}
    </>
  );
}

function Formats({ start }: Pick<RunningExport, "start">) {
  const { columns } = useColumns();
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button
          size="small"
          tone="ghost"
          aria-label="Export"
          title="Save all matching logs as a file"
          data-testid={testIds.exportOpen}
        >
          <Icon name="download" />
          <span className={styles.caption}>Export</span>
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent align="end" style={{ minWidth: 210 }}>
        <MenuLabel>Export all matching logs as</MenuLabel>
        <MenuItem
          className={styles.format}
          data-testid={testIds.exportNdjson}
          onSelect={() => start("ndjson", null)}
        >
          NDJSON <span>one record a line</span>
        </MenuItem>
        <MenuItem
          className={styles.format}
          data-testid={testIds.exportCsv}
          onSelect={() => start("csv", null)}
        >
          CSV <span>all fields</span>
        </MenuItem>
        <MenuItem
          className={styles.format}
          data-testid={testIds.exportShown}
          onSelect={() => start("csv", ["timestamp", "severity", ...columns.map(({ field }) => field)])}
        >
          CSV <span>the shown columns</span>
        </MenuItem>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

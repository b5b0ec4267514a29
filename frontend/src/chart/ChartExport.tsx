import { DropdownMenu } from "radix-ui";
import type { StatsAnswer } from "../api/types";
import { saveFile } from "../export/saveFile";
import toolbarStyles from "../results/ResultToolbar.module.css";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem, MenuLabel } from "../ui/Menu";
import { toCsv } from "./statsFile";
import { toTable } from "./statsRows";

interface ChartExportProps {
  readonly answer: StatsAnswer;
  /** Returns the canvas of the chart; null where the chart has none. */
  readonly canvas: () => HTMLCanvasElement | null;
}

/** Saves the numbers as CSV or JSON, or the picture of the chart. */
export function ChartExport({ answer, canvas }: ChartExportProps) {
  const save = (end: string, type: string, text: string) =>
    saveFile(`numbers.${end}`, new Blob([text], { type }));
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button
          size="small"
          tone="ghost"
          aria-label="Export"
          title="Save these numbers as a file"
          data-testid={testIds.chartExport}
        >
          <Icon name="download" />
          <span className={toolbarStyles.caption}>Export</span>
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent align="end">
        <MenuLabel>Export the numbers as</MenuLabel>
        <MenuItem onSelect={() => save("csv", "text/csv", toCsv(toTable(answer)))}>CSV</MenuItem>
        <MenuItem onSelect={() => save("json", "application/json", JSON.stringify(answer, null, 2))}>
          JSON
        </MenuItem>
        {answer.interval_ns !== null && (
          <MenuItem
            onSelect={() => canvas()?.toBlob((picture) => picture !== null && saveFile("chart.png", picture))}
          >
            PNG, without the legend
          </MenuItem>
        )}
      </MenuContent>
    </DropdownMenu.Root>
  );
}

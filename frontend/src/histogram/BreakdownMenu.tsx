import { DropdownMenu } from "radix-ui";
import type { FieldCount } from "../api/types";
import { inListOrder } from "../facets/fieldOrder";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuLabel, MenuRadioItem } from "../ui/Menu";
import styles from "./Histogram.module.css";

/** Largest number of fields in the menu; those with many records come first. */
const MAX_FIELDS = 200;

interface BreakdownMenuProps {
  /** The field whose values the bars are stacked by, null for severities. */
  readonly by: string | null;
  readonly fields: readonly FieldCount[];
  readonly onChoose: (by: string | null) => void;
}

/** Chooses the field whose values the bars are stacked by. Typing the first letters of a field moves to it. */
export function BreakdownMenu({ by, fields, onChoose }: BreakdownMenuProps) {
  const shown = visibleText(by ?? "severity");
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button
          size="small"
          tone="ghost"
          className={styles.by}
          title={`Bars are stacked by ${shown}`}
          data-testid={testIds.chartBy}
        >
          <span className={styles.byName}>by {shown}</span>
          <Icon name="down" size={10} />
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent align="end" className={styles.choices}>
        <MenuLabel>Stack the bars by</MenuLabel>
        <DropdownMenu.RadioGroup
          value={by === null ? SEVERITY : `${FIELD}${by}`}
          onValueChange={(value) => onChoose(value === SEVERITY ? null : value.slice(FIELD.length))}
        >
          <MenuRadioItem value={SEVERITY}>severity</MenuRadioItem>
          {choices(by, fields).map((name) => (
            <MenuRadioItem key={name} value={`${FIELD}${name}`}>
              {visibleText(name)}
            </MenuRadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

/** Values of the menu's items: a field may have any name. */
const SEVERITY = "severity";
const FIELD = "field ";

function choices(by: string | null, fields: readonly FieldCount[]): string[] {
  const names = inListOrder(fields)
    .map(({ name }) => name)
    .filter((name) => name !== "severity")
    .slice(0, MAX_FIELDS);
  return by === null || names.includes(by) ? names : [by, ...names];
}

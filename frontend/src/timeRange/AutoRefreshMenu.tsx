import { DropdownMenu } from "radix-ui";
import { testIds } from "../testIds";
import { describeDuration } from "../time/duration";
import { REFRESH_CHOICES, type RefreshChoice } from "../time/refreshEvery";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuLabel, MenuRadioItem } from "../ui/Menu";

interface AutoRefreshMenuProps {
  readonly choice: RefreshChoice | null;
  /** False for a range that does not end now, in which no new records arrive. */
  readonly endsNow: boolean;
  readonly onChoose: (choice: RefreshChoice | null) => void;
}

/** Menu in which the user chooses the interval of automatic refreshes. */
export function AutoRefreshMenu({ choice, endsNow, onChoose }: AutoRefreshMenuProps) {
  const shown = endsNow ? choice : null;
  const state = shown === null ? "off" : `every ${describeDuration(shown)}`;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button
          size="small"
          tone="ghost"
          disabled={!endsNow}
          aria-label={`Automatic refresh: ${shown ?? "off"}`}
          title={endsNow ? `Automatic refresh: ${state}` : "Automatic refresh needs a range that ends now"}
          data-testid={testIds.autoRefresh}
        >
          {shown}
          <Icon name="down" size={10} />
        </Button>
      </DropdownMenu.Trigger>
      <MenuContent align="start">
        <MenuLabel>Refresh automatically</MenuLabel>
        <DropdownMenu.RadioGroup
          value={shown ?? "off"}
          onValueChange={(value) => onChoose(REFRESH_CHOICES.find((each) => each === value) ?? null)}
        >
          <MenuRadioItem value="off">Off</MenuRadioItem>
          {REFRESH_CHOICES.map((each) => (
            <MenuRadioItem key={each} value={each}>
              Every {describeDuration(each)}
            </MenuRadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </MenuContent>
    </DropdownMenu.Root>
  );
}

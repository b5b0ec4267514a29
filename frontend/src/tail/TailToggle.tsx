import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";

/** Switches between search results and the live tail. */
export function TailToggle({ isOn, onToggle }: { isOn: boolean; onToggle: () => void }) {
  return (
    <Button
      size="large"
      pressed={isOn}
      title={isOn ? "Back to the search" : "Show logs that match as they arrive"}
      data-testid={testIds.tailToggle}
      onClick={onToggle}
    >
      <Icon name="play" />
      Live tail
    </Button>
  );
}

import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import type { ResultMode } from "../url/searchState";

const MODES: readonly (readonly [ResultMode, string])[] = [
  ["logs", "Logs"],
  ["patterns", "Patterns"],
  ["chart", "Chart"],
];

interface ModeSwitchProps {
  readonly mode: ResultMode;
  readonly onMode: (mode: ResultMode) => void;
}

/** Switches between the logs, their patterns and numbers over them. */
export function ModeSwitch({ mode, onMode }: ModeSwitchProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, and these are buttons
    <span role="group" aria-label="Show results as" style={{ display: "flex", gap: 2, marginRight: 10 }}>
      {MODES.map(([each, words]) => (
        <Button
          key={each}
          size="small"
          tone="ghost"
          pressed={mode === each}
          data-testid={testIds.mode}
          onClick={() => mode !== each && onMode(each)}
        >
          {words}
        </Button>
      ))}
    </span>
  );
}

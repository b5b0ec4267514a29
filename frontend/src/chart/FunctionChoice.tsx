import type { StatsColumn } from "../api/types";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import styles from "./Chart.module.css";

interface FunctionChoiceProps {
  readonly functions: readonly StatsColumn[];
  /** Index of the function that is drawn. */
  readonly place: number;
  readonly onChoose: (place: number) => void;
}

/** Buttons for the functions of an answer, each with its unit, of which a picture draws one. */
export function FunctionChoice({ functions, place, onChoose }: FunctionChoiceProps) {
  return (
    <p className={styles.functions}>
      {functions.map(({ name, unit }, index) => (
        <Button
          key={name}
          size="small"
          pressed={index === place}
          data-testid={testIds.chartFunction}
          onClick={() => onChoose(index)}
        >
          {visibleText(name)}
          {unit !== null && ` (${unit})`}
        </Button>
      ))}
    </p>
  );
}

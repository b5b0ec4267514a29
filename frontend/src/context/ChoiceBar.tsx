import type { Log } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { CONTEXT_CHOICES, type ContextChoice, sharedValue } from "../url/contextChoice";
import styles from "./ContextView.module.css";

interface ChoiceBarProps {
  readonly record: Log;
  readonly choice: ContextChoice;
  readonly onChoice: (choice: ContextChoice) => void;
}

const CAPTIONS: Record<ContextChoice, string> = {
  all: "All",
  service: "Service",
  host: "Host",
  pod: "Pod",
  trace: "Trace",
};

/** Chooses the neighbours to show: all records, or only those that share a value with the record. */
export function ChoiceBar({ record, choice, onChoice }: ChoiceBarProps) {
  const value = choice === "all" ? null : sharedValue(record, choice);
  return (
    <div className={styles.choices}>
      <fieldset className={styles.choiceList}>
        <legend className="visually-hidden">Records with the same</legend>
        {CONTEXT_CHOICES.map((each) => (
          <Button
            key={each}
            size="small"
            tone="ghost"
            pressed={each === choice}
            disabled={each !== "all" && sharedValue(record, each) === ""}
            title={titleOf(record, each)}
            data-testid={testIds.contextChoice}
            data-choice={each}
            onClick={() => onChoice(each)}
          >
            {CAPTIONS[each]}
          </Button>
        ))}
      </fieldset>
      {value !== null && (
        <span className={styles.shared} title={visibleText(value)}>
          <LoggedText text={value} isOneLine />
        </span>
      )}
    </div>
  );
}

function titleOf(record: Log, choice: ContextChoice): string {
  if (choice === "all") return "Every record of the tenant";
  const value = sharedValue(record, choice);
  return value === "" ? `This record has no ${choice}` : `Only records of ${choice} ${visibleText(value)}`;
}

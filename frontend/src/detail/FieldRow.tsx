import { indentedJson, valueText } from "../api/logJson";
import { ColumnToggle } from "../columns/ColumnToggle";
import { type FilterBy, isFilterValue } from "../language/editQuery";
import { noMatches } from "../language/matchRanges";
import { testIds } from "../testIds";
import { BreakableName } from "../text/BreakableName";
import { LinkedText } from "../text/LinkedText";
import { visibleText } from "../text/signs";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import styles from "./FieldTable.module.css";
import type { RecordField } from "./recordFields";

interface FieldRowProps {
  readonly field: RecordField;
  readonly onFilter: FilterBy;
}

export function FieldRow({ field, onFilter }: FieldRowProps) {
  const { name, value, queryField } = field;
  const text = valueText(value);
  const shownText = typeof value === "string" ? value : indentedJson(value);
  const shownName = visibleText(name);
  return (
    <div
      className={styles.row}
      data-testid={testIds.field}
      data-field={name}
      data-lines={shownText.includes("\n") ? "many" : "one"}
    >
      <dt className={styles.name}>
        <BreakableName name={name} />
      </dt>
      <dd className={styles.value} data-kind={typeof value === "string" ? "text" : "data"}>
        <LinkedText text={shownText} matcher={noMatches} />
      </dd>
      <dd className={styles.actions}>
        {queryField !== null && isFilterValue(value) && (
          <>
            <IconButton
              label={`Filter for ${shownName} with this value`}
              data-testid={testIds.filterFor}
              onClick={() => onFilter(queryField, value, false)}
            >
              <Icon name="plus" />
            </IconButton>
            <IconButton
              label={`Exclude ${shownName} with this value`}
              data-testid={testIds.filterOut}
              onClick={() => onFilter(queryField, value, true)}
            >
              <Icon name="minus" />
            </IconButton>
          </>
        )}
        {queryField !== null && <ColumnToggle field={queryField} />}
        <CopyButton label={`Copy ${shownName}`} text={() => text} data-testid={testIds.copyValue} />
      </dd>
    </div>
  );
}

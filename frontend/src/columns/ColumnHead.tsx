import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { Icon } from "../ui/Icon";
import styles from "./ColumnHead.module.css";
import { type Columns, moveColumn, resizeColumn, toggleColumn } from "./columns";

interface ColumnHeadProps {
  readonly field: string;
  readonly columns: Columns;
  /** Called while a width is dragged with `isFinal` false, and once with true when it is chosen. */
  readonly onChange: (columns: Columns, isFinal: boolean) => void;
}

const STEP = 40;

/** The head of a field's column: a menu that moves, resizes and removes it, and an edge that is dragged to resize it. */
export function ColumnHead({ field, columns, onChange }: ColumnHeadProps) {
  const cell = useRef<HTMLSpanElement>(null);
  const place = columns.findIndex((column) => column.field === field);
  const width = () => cell.current?.getBoundingClientRect().width ?? 0;
  const choose = (next: Columns) => onChange(next, true);
  return (
    <span ref={cell} role="columnheader" className={styles.head} data-column={field}>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          className={styles.name}
          aria-label={`Column ${visibleText(field)}`}
          data-testid={testIds.columnMenu}
        >
          <LoggedText text={field} isOneLine />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className={styles.menu} align="start" sideOffset={4}>
            <Item
              text="Move left"
              isDisabled={place === 0}
              onSelect={() => choose(moveColumn(columns, field, -1))}
            />
            <Item
              text="Move right"
              isDisabled={place === columns.length - 1}
              onSelect={() => choose(moveColumn(columns, field, 1))}
            />
            <Item text="Wider" onSelect={() => choose(resizeColumn(columns, field, width() + STEP))} />
            <Item text="Narrower" onSelect={() => choose(resizeColumn(columns, field, width() - STEP))} />
            <Item text="Remove" onSelect={() => choose(toggleColumn(columns, field))} />
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Edge
        width={width}
        onWidth={(next, isFinal) => onChange(resizeColumn(columns, field, next), isFinal)}
      />
    </span>
  );
}

interface ItemProps {
  readonly text: string;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

function Item({ text, isDisabled = false, onSelect }: ItemProps) {
  return (
    <DropdownMenu.Item className={styles.item} disabled={isDisabled} onSelect={onSelect}>
      {text}
    </DropdownMenu.Item>
  );
}

interface EdgeProps {
  readonly width: () => number;
  readonly onWidth: (width: number, isFinal: boolean) => void;
}

/** The right edge of a column's head. The menu resizes the column without a pointer. */
function Edge({ width, onWidth }: EdgeProps) {
  const grip = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const widthAt = (x: number) => (grip.current === null ? 0 : grip.current.width + x - grip.current.x);
  return (
    <span
      aria-hidden="true"
      className={styles.edge}
      data-testid={testIds.columnEdge}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, width: width() };
      }}
      onPointerMove={(event) => {
        if (grip.current !== null) onWidth(widthAt(event.clientX), false);
      }}
      onPointerUp={(event) => {
        if (grip.current === null) return;
        onWidth(widthAt(event.clientX), true);
        grip.current = null;
      }}
    >
      <Icon name="edge" size={10} />
    </span>
  );
}

import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { visibleText } from "../text/signs";
import { Icon } from "../ui/Icon";
import { MenuContent, MenuItem } from "../ui/Menu";
import styles from "./ColumnHead.module.css";
import { type Columns, MESSAGE, moveColumn, resizeColumn, toggleColumn } from "./columns";

interface ColumnHeadProps {
  readonly field: string;
  readonly columns: Columns;
  /** Called with the width in CSS pixels while the edge is dragged, and with null when a drag ends without a change. */
  readonly onDrag: (width: number | null) => void;
  readonly onChange: (columns: Columns) => void;
}

const STEP = 40;

/** Head of a field's column: a menu that moves, resizes and removes the column, and an edge to drag. */
export function ColumnHead({ field, columns, onDrag, onChange }: ColumnHeadProps) {
  const cell = useRef<HTMLSpanElement>(null);
  const place = columns.findIndex((column) => column.field === field);
  const isMessage = field === MESSAGE;
  const isSized = columns[place]?.width !== null;
  const width = () => cell.current?.getBoundingClientRect().width ?? 0;
  const resize = (next: number | null) => onChange(resizeColumn(columns, field, next));
  return (
    <span ref={cell} role="columnheader" className={styles.head} data-column={field}>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          className={styles.name}
          aria-label={isMessage ? "Message column" : `Column ${visibleText(field)}`}
          data-testid={testIds.columnMenu}
        >
          {isMessage ? "Message" : <LoggedText text={field} isOneLine />}
        </DropdownMenu.Trigger>
        <MenuContent align="start">
          <MenuItem disabled={place === 0} onSelect={() => onChange(moveColumn(columns, field, -1))}>
            Move left
          </MenuItem>
          <MenuItem
            disabled={place === columns.length - 1}
            onSelect={() => onChange(moveColumn(columns, field, 1))}
          >
            Move right
          </MenuItem>
          <MenuItem onSelect={() => resize(width() + STEP)}>Wider</MenuItem>
          <MenuItem onSelect={() => resize(width() - STEP)}>Narrower</MenuItem>
          {isSized && (
            <MenuItem onSelect={() => resize(null)}>{isMessage ? "Fill the row" : "Fit the values"}</MenuItem>
          )}
          {!isMessage && <MenuItem onSelect={() => onChange(toggleColumn(columns, field))}>Remove</MenuItem>}
        </MenuContent>
      </DropdownMenu.Root>
      <Edge width={width} onDrag={onDrag} onDrop={resize} />
    </span>
  );
}

interface EdgeProps {
  readonly width: () => number;
  readonly onDrag: (width: number | null) => void;
  readonly onDrop: (width: number) => void;
}

/** Smallest way, in CSS pixels, that a pointer drags an edge. A shorter way is a click, which changes nothing. */
const SHORTEST_DRAG = 3;

/** Right edge of a column's head, which a pointer drags. The menu resizes the column without a pointer. */
function Edge({ width, onDrag, onDrop }: EdgeProps) {
  const grip = useRef<{ readonly x: number; readonly width: number } | null>(null);
  /** Returns the width that the pointer at `x` gives the column; null for a click. */
  const widthAt = (x: number) => {
    if (grip.current === null || Math.abs(x - grip.current.x) < SHORTEST_DRAG) return null;
    return grip.current.width + x - grip.current.x;
  };
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
        if (grip.current !== null) onDrag(widthAt(event.clientX));
      }}
      onPointerUp={(event) => {
        const dropped = widthAt(event.clientX);
        grip.current = null;
        if (dropped === null) onDrag(null);
        else onDrop(dropped);
      }}
      onPointerCancel={() => {
        grip.current = null;
        onDrag(null);
      }}
    >
      <Icon name="edge" size={10} />
    </span>
  );
}

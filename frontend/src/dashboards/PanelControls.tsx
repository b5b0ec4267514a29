import type { PointerEventHandler } from "react";
import { type KeyedPanel, PANEL_SIZES, type PanelChange } from "../panels/panelList";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Panel.module.css";

interface PanelControlsProps {
  readonly panel: KeyedPanel;
  /** The title that the panel shows if it has none of its own. */
  readonly viewName: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Moves the panel by a number of places; a negative number moves it towards the start. */
  readonly onMove: (by: number) => void;
  readonly onChange: (change: PanelChange) => void;
  readonly onRemove: () => void;
  /** Starts to drag the panel. */
  readonly onGrab: PointerEventHandler<HTMLElement>;
}

/** Controls of a panel while its dashboard is edited. */
export function PanelControls(props: PanelControlsProps) {
  const { panel, viewName, onChange } = props;
  const name = panel.title || viewName;
  return (
    <div className={styles.controls}>
      <span className={styles.handle} title="Drag to move" aria-hidden="true" onPointerDown={props.onGrab}>
        <Icon name="grip" size={16} />
      </span>
      <input
        className={styles.rename}
        aria-label={`Title of ${name}`}
        placeholder={viewName}
        maxLength={100}
        value={panel.title}
        data-testid={testIds.panelTitle}
        onChange={({ target }) => onChange({ title: target.value })}
      />
      {/* Not disabled at the ends, because a disabled button would lose the focus. */}
      <IconButton
        label={`Move ${name} to the place before`}
        aria-disabled={props.isFirst}
        data-move={-1}
        data-testid={testIds.panelBefore}
        onClick={() => props.onMove(-1)}
      >
        <Icon name="left" />
      </IconButton>
      <IconButton
        label={`Move ${name} to the place after`}
        aria-disabled={props.isLast}
        data-move={1}
        data-testid={testIds.panelAfter}
        onClick={() => props.onMove(1)}
      >
        <Icon name="right" />
      </IconButton>
      <Size
        label={`Width of ${name}`}
        unit="wide"
        value={panel.width}
        testId={testIds.panelWidth}
        onValue={(width) => onChange({ width })}
      />
      <Size
        label={`Height of ${name}`}
        unit="high"
        value={panel.height}
        testId={testIds.panelHeight}
        onValue={(height) => onChange({ height })}
      />
      <IconButton
        label={`Remove ${name} from the dashboard`}
        data-testid={testIds.panelRemove}
        onClick={props.onRemove}
      >
        <Icon name="trash" />
      </IconButton>
    </div>
  );
}

interface SizeProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly testId: string;
  readonly onValue: (value: number) => void;
}

function Size({ label, unit, value, testId, onValue }: SizeProps) {
  return (
    <select
      className={styles.size}
      aria-label={label}
      value={value}
      data-testid={testId}
      onChange={({ target }) => onValue(Number(target.value))}
    >
      {PANEL_SIZES.map((size) => (
        <option key={size} value={size}>
          {size} {unit}
        </option>
      ))}
    </select>
  );
}

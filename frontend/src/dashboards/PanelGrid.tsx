import { useEffect, useRef, useState } from "react";
import type { View } from "../api/types";
import { changePanel, movePanel, type PanelList, removePanel } from "../panels/panelList";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { Panel, titleOf } from "./Panel";
import styles from "./Panel.module.css";
import { PanelControls } from "./PanelControls";
import { usePanelDrag } from "./usePanelDrag";

interface PanelGridProps {
  readonly panels: PanelList;
  readonly views: readonly View[];
  readonly range: TimeRange;
  readonly window: TimeWindow | null;
  /** Called with the changed panels; null while the dashboard is not edited. */
  readonly onPanels: ((panels: PanelList) => void) | null;
  readonly onRange: (range: TimeRange) => void;
}

/** The panels in rows of three columns, or of fewer on a narrow page. */
export function PanelGrid({ panels, views, range, window, onPanels, onRange }: PanelGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState("");
  /** The last button that moved a panel. It gets the focus again after the panel was moved in the document. */
  const [pressed, setPressed] = useState<{ readonly key: string; readonly by: number } | null>(null);
  const viewOf = (id: string) => views.find((view) => view.id === id);
  const move = (key: string, index: number) => {
    const moved = movePanel(panels, key, index);
    const at = moved.findIndex((panel) => panel.key === key);
    const panel = moved[at];
    if (panel === undefined || onPanels === null) return;
    onPanels(moved);
    setSaid(`${titleOf(panel, viewOf(panel.view))}: place ${at + 1} of ${moved.length}`);
  };
  const { drag, grab } = usePanelDrag(onPanels !== null, (key, over) =>
    move(
      key,
      panels.findIndex((panel) => panel.key === over),
    ),
  );
  useEffect(() => {
    if (pressed === null) return;
    const { key, by } = pressed;
    grid.current?.querySelector<HTMLElement>(`[data-panel="${key}"] [data-move="${by}"]`)?.focus();
  }, [pressed]);
  return (
    <>
      <div ref={grid} className={styles.grid} data-dragging={drag !== null}>
        {panels.map((panel, index) => (
          <Panel
            key={panel.key}
            panel={panel}
            view={viewOf(panel.view)}
            range={range}
            window={window}
            isDropTarget={drag?.over === panel.key}
            onRange={onRange}
            controls={
              onPanels !== null && (
                <PanelControls
                  panel={panel}
                  viewName={viewOf(panel.view)?.name ?? "Deleted view"}
                  isFirst={index === 0}
                  isLast={index === panels.length - 1}
                  onMove={(by) => {
                    move(panel.key, index + by);
                    setPressed({ key: panel.key, by });
                  }}
                  onChange={(change) => onPanels(changePanel(panels, panel.key, change))}
                  onRemove={() => onPanels(removePanel(panels, panel.key))}
                  onGrab={(event) => grab(panel.key, event)}
                />
              )
            }
          />
        ))}
      </div>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}

import { useId, useRef, useState } from "react";
import { type PanelName, panelWidth, widthBounds, widthByKey } from "../preferences/panelWidths";
import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { useWindowWidth } from "../ui/useWindowWidth";
import styles from "./ResizablePanel.module.css";

interface ResizablePanelProps {
  readonly panel: PanelName;
  /** Side of the page on which the panel is. */
  readonly side: "left" | "right";
  /** The accessible name of the edge. */
  readonly label: string;
  readonly children: React.ReactNode;
}

/**
 * A panel whose inner edge resizes it, by dragging or by arrow keys (WAI-ARIA, "window splitter"). A double-click
 * restores the default width. The browser remembers the width.
 */
export function ResizablePanel({ panel, side, label, children }: ResizablePanelProps) {
  const { widths } = usePreferences();
  const [dragged, setDragged] = useState<number | null>(null);
  const grip = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const id = useId();
  const bounds = widthBounds(panel, useWindowWidth());
  const width = panelWidth(dragged ?? widths[panel], bounds);
  const keep = (next: number | null) => setPreferences({ widths: { ...widths, [panel]: next } });
  const widthAt = (x: number) => {
    const by = x - (grip.current?.x ?? x);
    return panelWidth((grip.current?.width ?? width) + (side === "left" ? by : -by), bounds);
  };
  const drop = () => {
    grip.current = null;
    setDragged(null);
  };
  const edge = (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be focused or dragged
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-controls={id}
      aria-valuenow={width}
      aria-valuemin={bounds.min}
      aria-valuemax={bounds.max}
      title={`${label}: drag, or use the arrow keys`}
      className={styles.edge}
      data-dragged={dragged !== null}
      data-testid={testIds.panelEdge}
      data-panel={panel}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => grip.current !== null && setDragged(widthAt(event.clientX))}
      onPointerUp={(event) => {
        if (grip.current !== null && event.clientX !== grip.current.x) keep(widthAt(event.clientX));
        drop();
      }}
      onPointerCancel={drop}
      onDoubleClick={() => keep(null)}
      onKeyDown={(event) => {
        const next = widthByKey(event.key, width, side, bounds);
        if (next === undefined) return;
        event.preventDefault();
        keep(next);
      }}
    />
  );
  const style = { "--panel-width": `${width}px` } as React.CSSProperties;
  return (
    <div className={styles.panel} style={style} data-side={side}>
      {side === "right" && edge}
      <div id={id} className={styles.content}>
        {children}
      </div>
      {side === "left" && edge}
    </div>
  );
}

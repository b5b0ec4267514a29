import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useLatest } from "../ui/useLatest";

interface Drag {
  /** Key of the panel that is dragged. */
  readonly key: string;
  /** Key of the panel under the pointer; null for none or for the dragged panel itself. */
  readonly over: string | null;
}

/**
 * Moves panels when their handle is dragged with a mouse, a pen or a finger. Calls `onDrop` with the key of the dragged
 * panel and the key of the panel that it was dropped on. Escape, a cancelled touch and the end of `isEdited` end the drag
 * without a move.
 */
export function usePanelDrag(isEdited: boolean, onDrop: (key: string, over: string) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  // The panels may change during a drag.
  const drop = useLatest(onDrop);
  const stop = useRef(() => {});
  useEffect(() => {
    if (isEdited) return () => stop.current();
  }, [isEdited]);
  const grab = (key: string, event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const ends = new AbortController();
    const { signal } = ends;
    const { pointerId } = event;
    let over: string | null = null;
    const end = () => {
      ends.abort();
      setDrag(null);
    };
    stop.current = end;
    const follow = (moved: globalThis.PointerEvent) => {
      if (moved.pointerId !== pointerId) return;
      const panel = panelAt(moved.clientX, moved.clientY);
      const next = panel === key ? null : panel;
      // The panels are drawn again only when another one is marked.
      if (next !== over) setDrag({ key, over: next });
      over = next;
    };
    const release = (released: globalThis.PointerEvent) => {
      if (released.pointerId !== pointerId) return;
      end();
      if (over !== null) drop(key, over);
    };
    window.addEventListener("pointermove", follow, { signal });
    window.addEventListener("pointerup", release, { signal });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("keydown", (pressed) => pressed.key === "Escape" && end(), { signal });
    setDrag({ key, over });
  };
  return { drag, grab };
}

/** Returns the key of the panel at a point of the viewport, in CSS pixels. */
function panelAt(x: number, y: number): string | null {
  return document.elementFromPoint(x, y)?.closest("[data-panel]")?.getAttribute("data-panel") ?? null;
}

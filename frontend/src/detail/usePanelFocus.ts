import { type RefObject, useLayoutEffect } from "react";
import { focusResults } from "../ui/focusResults";

/** Moves the focus into a panel that a key opened from the list of logs, and back to the list when the panel closes. */
export function usePanelFocus(content: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const panel = content.current?.parentElement;
    if (document.activeElement?.matches("[role=grid]:focus-visible")) content.current?.focus();
    return () => {
      if (panel?.contains(document.activeElement)) focusResults();
    };
  }, [content]);
}

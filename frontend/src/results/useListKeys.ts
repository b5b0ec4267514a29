import { useEffect, useEffectEvent } from "react";
import { isTyping } from "../ui/useFocusKey";

export interface ListKeys {
  /** Moves the selection by this number of rows; -Infinity and Infinity mean the first and the last row. */
  readonly move: (by: number) => void;
  /** Opens the record this number of rows from the selected one. */
  readonly openNext: (by: number) => void;
  readonly open: () => void;
}

const PAGE = 20;
const OPENED: Record<string, number> = { j: 1, k: -1 };
const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * Handles the keys of the list. j and k work unless the user is typing text. Keys with a meaning elsewhere work only
 * while the list, or nothing, has the focus.
 */
export function useListKeys(keys: ListKeys): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const opened = OPENED[event.key];
    const step = isListFocused() ? STEPS[event.key] : undefined;
    if (opened !== undefined) keys.openNext(opened);
    else if (step !== undefined) keys.move(step);
    else if (event.key === "Enter" && isListFocused()) keys.open();
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !isTyping(event)) handle(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

function isListFocused(): boolean {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return true;
  // A button in the list, such as "Try again", has its own meaning for Enter.
  return focused.closest("button") === null && focused.closest("[role=grid]") !== null;
}

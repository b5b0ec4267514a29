import { type RefObject, useEffect } from "react";

/** Props of a control inside a container with `useRoving`: arrow keys reach it, and Tab does not. */
export const ROVING = { tabIndex: -1, "data-roving": "" } as const;

const ITEMS = "[data-roving]";

/**
 * Makes all controls with the props ROVING in a container one Tab stop (WAI-ARIA, "roving tabindex"): up, down, Home and
 * End move the focus between them, and Tab leaves them. The stop is the control that had the focus last.
 */
export function useRoving(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const items = () => [...element.querySelectorAll<HTMLElement>(ITEMS)];
    const stopAt = (stop: HTMLElement | undefined) => {
      for (const item of items()) item.tabIndex = item === stop ? 0 : -1;
    };
    const keepOneStop = () => {
      const all = items();
      if (all.filter(({ tabIndex }) => tabIndex === 0).length !== 1) stopAt(all[0]);
    };
    const onFocus = (event: FocusEvent) => {
      const item = (event.target as HTMLElement).closest<HTMLElement>(ITEMS);
      if (item !== null) stopAt(item);
    };
    const onKey = (event: KeyboardEvent) => {
      const all = items();
      const next = all[nextIndex(event.key, all.indexOf(event.target as HTMLElement), all.length)];
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      next.focus();
    };
    keepOneStop();
    const changes = new MutationObserver(keepOneStop);
    changes.observe(element, { childList: true, subtree: true });
    element.addEventListener("focusin", onFocus);
    element.addEventListener("keydown", onKey);
    return () => {
      changes.disconnect();
      element.removeEventListener("focusin", onFocus);
      element.removeEventListener("keydown", onKey);
    };
  }, [container]);
}

/** Returns the index that a key moves to, and -1 for other keys and outside of the list. */
function nextIndex(key: string, index: number, count: number): number {
  if (index < 0) return -1;
  if (key === "ArrowDown") return Math.min(index + 1, count - 1);
  if (key === "ArrowUp") return Math.max(index - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : -1;
}

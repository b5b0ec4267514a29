import { useEffect, useEffectEvent } from "react";

/** Calls back when a key is pressed that nobody is typing with. */
export function useFocusKey(key: string, onPress: () => void): void {
  const press = useEffectEvent(onPress);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== key || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      press();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [key]);
}

/** Whether the key goes into a field, a menu or a dialog, or belongs to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest("input, textarea, select, [contenteditable], [role=dialog], [role=menu]") !== null
  );
}

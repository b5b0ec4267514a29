import { useEffect, useEffectEvent } from "react";

/** Calls back for Escape, also during text input, unless a menu, dialog or completion has handled the key. */
export function useEscape(isActive: boolean, onPress: () => void): void {
  const press = useEffectEvent(onPress);
  useEffect(() => {
    if (!isActive) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      press();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isActive]);
}

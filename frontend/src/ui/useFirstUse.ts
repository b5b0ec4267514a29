import { useEffect, useEffectEvent } from "react";

/** Events that show that the user has started to use the page. */
const USES = ["keydown", "pointerdown", "input"] as const;

/** Calls back, while `isActive` is true, when the user types or presses a key or a pointer anywhere on the page. */
export function useFirstUse(isActive: boolean, onUse: () => void): void {
  const use = useEffectEvent(onUse);
  useEffect(() => {
    if (!isActive) return;
    const listen = () => use();
    for (const type of USES) window.addEventListener(type, listen, true);
    return () => {
      for (const type of USES) window.removeEventListener(type, listen, true);
    };
  }, [isActive]);
}

import { useEffect, useEffectEvent } from "react";

/** Milliseconds between two requests for the counts of the same search while its tail runs. */
export const TAIL_REFRESH_MS = 15_000;

/** Calls back at intervals while a tail runs and its page is visible, so that counts include new logs. */
export function useTailRefresh(isOn: boolean, onRefresh: () => void): void {
  const refresh = useEffectEvent(onRefresh);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, TAIL_REFRESH_MS);
    return () => clearInterval(timer);
  }, [isOn]);
}

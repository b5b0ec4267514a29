import { useEffect, useEffectEvent } from "react";

/** Milliseconds between two requests for the counts of the same search while its tail runs. */
export const TAIL_REFRESH_MS = 15_000;

/**
 * Calls back at intervals while a tail runs, so that counts include new logs. Skips a call while the page is in the
 * background, and while `isBusy` is true.
 */
export function useTailRefresh(isOn: boolean, isBusy: boolean, onRefresh: () => void): void {
  const refresh = useEffectEvent(() => {
    if (!isBusy && document.visibilityState === "visible") onRefresh();
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => refresh(), TAIL_REFRESH_MS);
    return () => clearInterval(timer);
  }, [isOn]);
}

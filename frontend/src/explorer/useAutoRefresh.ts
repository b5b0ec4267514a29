import { useEffect, useEffectEvent } from "react";

/**
 * Calls back at this interval in milliseconds; null means never. Skips a call while the page is in the background,
 * while `isBusy` is true, and while the list is scrolled down, so that rows being read do not move.
 */
export function useAutoRefresh(interval: number | null, isBusy: boolean, onRefresh: () => void): void {
  const refresh = useEffectEvent(() => {
    const list = document.querySelector("main [role=grid]");
    if (!isBusy && document.visibilityState === "visible" && (list?.scrollTop ?? 0) <= 0) onRefresh();
  });
  useEffect(() => {
    if (interval === null) return;
    const timer = setInterval(() => refresh(), interval);
    return () => clearInterval(timer);
  }, [interval]);
}

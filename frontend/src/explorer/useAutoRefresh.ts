import { useEffect, useEffectEvent } from "react";

/**
 * Calls back at this interval in milliseconds; null is never. Skips a turn while the page is in the background or the
 * list is scrolled down, so that rows being read do not move, and where `isBusy` says that a search is under way.
 */
export function useAutoRefresh(interval: number | null, isBusy: boolean, onRefresh: () => void): void {
  const turn = useEffectEvent(() => {
    const list = document.querySelector("main [role=grid]");
    if (!isBusy && document.visibilityState === "visible" && (list?.scrollTop ?? 0) <= 0) onRefresh();
  });
  useEffect(() => {
    if (interval === null) return;
    const timer = setInterval(() => turn(), interval);
    return () => clearInterval(timer);
  }, [interval]);
}

import { useEffect, useEffectEvent } from "react";

/**
 * Calls back at this interval in milliseconds; null means never. Skips a call while the page is in the background,
 * while `isBusy` is true, and while the list is scrolled down, so that rows being read do not move. Calls back when the
 * page is shown again after a call was skipped in the background, so that it does not look up to date with old numbers.
 */
export function useAutoRefresh(interval: number | null, isBusy: boolean, onRefresh: () => void): void {
  const refresh = useEffectEvent(() => {
    const list = document.querySelector("main [role=grid]");
    if (!isBusy && document.visibilityState === "visible" && (list?.scrollTop ?? 0) <= 0) onRefresh();
  });
  useEffect(() => {
    if (interval === null) return;
    let isDue = false;
    const onTime = () => {
      isDue = document.visibilityState !== "visible";
      refresh();
    };
    const show = () => {
      if (!isDue || document.visibilityState !== "visible") return;
      isDue = false;
      refresh();
    };
    const timer = setInterval(onTime, interval);
    document.addEventListener("visibilitychange", show);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", show);
    };
  }, [interval]);
}

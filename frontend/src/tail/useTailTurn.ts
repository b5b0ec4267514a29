import { useEffect, useState } from "react";
import { lastingStorage } from "../preferences/browserStorage";

const STORAGE_KEY = "logsieve.tail-used";

/** Distinguishes this tab from the other tabs of the browser, until it is loaded again. */
const TAB = String(Math.random());

/**
 * Number of other tabs that open or show a tail before a hidden tab gives up its own. Over HTTP/1.1, a browser opens six
 * connections to one address in all tabs together, and each tail holds one. Without a free connection, no page of
 * Logsieve would load.
 */
export const FURTHER_TAILS = 3;

/**
 * Returns true while this tab may run a tail. Becomes false if the tab is hidden and enough other tabs have opened or
 * shown tails since, and true when the tab is shown again. Stays true if the page came over HTTP/2 or HTTP/3, where all
 * tabs share one connection.
 */
export function useTailTurn(): boolean {
  const [isOn, setOn] = useState(true);
  useEffect(() => {
    if (sharesConnection()) return;
    if (isOn) return listenForTails(() => setOn(false));
    const show = () => document.visibilityState === "visible" && setOn(true);
    // The tab may have been shown since the tail was given up.
    show();
    document.addEventListener("visibilitychange", show);
    return () => document.removeEventListener("visibilitychange", show);
  }, [isOn]);
  return isOn;
}

function sharesConnection(): boolean {
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return /^h[23]/.test(visit?.nextHopProtocol ?? "");
}

/** Tells the other tabs when this tab opens or shows its tail, and calls back after enough of them have done so. */
function listenForTails(callBack: () => void): () => void {
  const others = new Set<string>();
  const tell = () => {
    lastingStorage.set(STORAGE_KEY, TAB);
    lastingStorage.remove(STORAGE_KEY);
  };
  const show = () => {
    if (document.visibilityState !== "visible") return;
    others.clear();
    tell();
  };
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key !== STORAGE_KEY || newValue === null || document.visibilityState === "visible") return;
    if (others.add(newValue).size >= FURTHER_TAILS) callBack();
  };
  tell();
  document.addEventListener("visibilitychange", show);
  window.addEventListener("storage", listen);
  return () => {
    document.removeEventListener("visibilitychange", show);
    window.removeEventListener("storage", listen);
  };
}

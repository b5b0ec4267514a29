import { useSyncExternalStore } from "react";

/** Width in CSS pixels that no character of a row is narrower than on average. */
const NARROWEST = 6;
/** The length grows in steps, so that few rows are drawn again while a window is resized. */
const STEP = 100;

/** Returns the number of characters of a message that fill a row of one line, however wide its list is. */
export function useLineLength(): number {
  return useSyncExternalStore(onResize, lineLength);
}

function onResize(changed: () => void): () => void {
  window.addEventListener("resize", changed);
  return () => window.removeEventListener("resize", changed);
}

function lineLength(): number {
  return STEP * Math.ceil(window.innerWidth / NARROWEST / STEP);
}

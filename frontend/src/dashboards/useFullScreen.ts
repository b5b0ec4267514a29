import { useEffect, useState } from "react";

/**
 * Returns a function `toggle` that starts or ends full screen for the main part of the page. `isOffered` is false if
 * the browser has no full screen, as on some phones.
 */
export function useFullScreen() {
  const [isFull, setFull] = useState(document.fullscreenElement != null);
  useEffect(() => {
    const follow = () => setFull(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", follow);
    return () => document.removeEventListener("fullscreenchange", follow);
  }, []);
  const toggle = () => {
    if (isFull) return void document.exitFullscreen();
    void document.querySelector("main")?.requestFullscreen();
  };
  return { isOffered: document.fullscreenEnabled ?? false, isFull, toggle };
}

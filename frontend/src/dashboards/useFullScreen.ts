import { useEffect, useState } from "react";

/**
 * Shows the main part of the page on the whole screen. `isOffered` is false in browsers that cannot, such as those of
 * some phones.
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

import { type RefObject, useEffect, useState } from "react";

/** Distance from the visible part of the page, in CSS pixels, up to which an element counts as visible. */
const MARGIN = "200px";

/** Returns true while the element is on the screen or at most that distance away. */
export function useOnScreen(element: RefObject<HTMLElement | null>): boolean {
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isOnScreen;
}

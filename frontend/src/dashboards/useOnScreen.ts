import { type RefObject, useEffect, useState } from "react";

/** Distance, in CSS pixels, from which an element that is scrolled into view counts as visible. */
const MARGIN = "200px";

/** Returns true while the element is on the screen, or nearly. */
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

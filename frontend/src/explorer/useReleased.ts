import { useEffect, useState } from "react";

/** Milliseconds after which the counts of a search are requested even when its first rows have not arrived. */
export const RELEASE_MS = 300;

/**
 * Returns true once the histogram and the fields may be requested: when the list has its first rows, or after
 * RELEASE_MS, so that the search itself is answered and drawn first. It stays true for that run of a search. A
 * cancelled run requests nothing more.
 */
export function useReleased(run: string, hasFirstRows: boolean, isCancelled: boolean): boolean {
  const [released, setReleased] = useState<string | null>(null);
  useEffect(() => {
    if (isCancelled) return;
    if (hasFirstRows) {
      // Waits for the frame that draws the rows.
      const soon = setTimeout(() => setReleased(run), 0);
      return () => clearTimeout(soon);
    }
    const timer = setTimeout(() => setReleased(run), RELEASE_MS);
    return () => clearTimeout(timer);
  }, [run, hasFirstRows, isCancelled]);
  return released === run;
}

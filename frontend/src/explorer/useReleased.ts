import { useEffect, useState } from "react";

/** Milliseconds after which the counts of a search are asked for, even when its first rows have not come. */
export const RELEASE_MS = 300;

/**
 * Whether what stands beside the list may be asked for: once the list has its first rows, or after a while, so that
 * the search itself is answered and drawn first. Once true, it stays so for that run of a search; a cancelled
 * one asks for nothing more.
 */
export function useReleased(run: string, hasFirstRows: boolean, isCancelled: boolean): boolean {
  const [released, setReleased] = useState<string | null>(null);
  useEffect(() => {
    if (isCancelled) return;
    if (hasFirstRows) {
      // After the frame that draws the rows.
      const soon = setTimeout(() => setReleased(run), 0);
      return () => clearTimeout(soon);
    }
    const timer = setTimeout(() => setReleased(run), RELEASE_MS);
    return () => clearTimeout(timer);
  }, [run, hasFirstRows, isCancelled]);
  return released === run;
}

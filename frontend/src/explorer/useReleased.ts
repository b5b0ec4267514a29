import { useEffect, useState } from "react";
import { mark } from "./marks";

/** Milliseconds after which the counts of a search are requested even when its first rows have not arrived. */
export const RELEASE_MS = 300;

/**
 * Returns true once the histogram and the fields may be requested: after the first rows of the list, or after
 * RELEASE_MS. The search itself is thus answered and drawn first. The value stays true for the run of a search. A
 * cancelled run requests nothing more.
 */
export function useReleased(run: string, hasFirstRows: boolean, isCancelled: boolean): boolean {
  const [released, setReleased] = useState<string | null>(null);
  useEffect(() => {
    if (isCancelled || released === run) return;
    const release = () => {
      mark("counts");
      setReleased(run);
    };
    // A timeout of zero milliseconds waits for the frame that draws the rows.
    const timer = setTimeout(release, hasFirstRows ? 0 : RELEASE_MS);
    return () => clearTimeout(timer);
  }, [run, hasFirstRows, isCancelled, released]);
  const drawnRun = hasFirstRows ? run : null;
  useEffect(() => {
    if (drawnRun !== null) mark("rows");
  }, [drawnRun]);
  return released === run;
}

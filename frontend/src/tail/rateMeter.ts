/** Milliseconds over which the rate of logs is averaged. */
const AVERAGED_MS = 5_000;

/**
 * Returns a function that is called at intervals with the number of logs that arrived since its last call, and with the
 * time in milliseconds. The function returns logs a second. It divides by the time that has passed, because browsers
 * delay the timers of pages in the background by up to a minute.
 */
export function rateMeter(start: number): (count: number, now: number) => number {
  let total = 0;
  const measured = [{ time: start, total }];
  return (count, now) => {
    total += count;
    measured.push({ time: now, total });
    const first = measured.findLast(({ time }) => now - time >= AVERAGED_MS) ?? measured[0];
    if (first === undefined || first.time >= now) return 0;
    measured.splice(0, measured.indexOf(first));
    return ((total - first.total) / (now - first.time)) * 1_000;
  };
}

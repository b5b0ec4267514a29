/** Milliseconds by which the browser's clock may differ from the server's, because the time of an answer is not exact. */
const TOLERATED_MS = 30_000;

/** Milliseconds by which the server's clock is ahead of the browser's; 0 while they differ by no more than is tolerated. */
let aheadMs = 0;
const listeners = new Set<() => void>();

/** Returns the server's time in milliseconds since 1970, by which relative ranges are resolved. */
export function nowMs(): number {
  return Date.now() + aheadMs;
}

/**
 * Compares the clocks. `date` is the header of that name of an answer whose headers have just arrived, and `sentMs` the
 * browser's time when the request was sent. An answer may have been on its way for long.
 */
export function compareClocks(date: string | null, sentMs: number): void {
  const answeredMs = Date.parse(date ?? "");
  // The header has whole seconds.
  const [least, most] = [answeredMs - Date.now(), answeredMs + 1_000 - sentMs];
  const isWrong = (ms: number) => ms < least - TOLERATED_MS || ms > most + TOLERATED_MS;
  if (!isWrong(aheadMs)) return;
  aheadMs = isWrong(0) ? most : 0;
  for (const listener of listeners) listener();
}

/** Returns a number that changes when `nowMs` jumps. */
export function clockState(): number {
  return aheadMs;
}

/** Calls back when `nowMs` jumps. Returns the function that ends this. */
export function onClockJump(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

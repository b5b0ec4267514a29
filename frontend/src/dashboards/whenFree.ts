import pLimit from "p-limit";

/** Largest number of panels that are read at the same time, so that a dashboard leaves room for other searches. */
export const PANELS_AT_ONCE = 4;

const limit = pLimit(PANELS_AT_ONCE);

/** Calls `read` when fewer than `PANELS_AT_ONCE` reads run, in the order of the calls. Rejects if it was aborted. */
export function whenFree<Answer>(signal: AbortSignal, read: () => Promise<Answer>): Promise<Answer> {
  return limit(() => {
    signal.throwIfAborted();
    return read();
  });
}

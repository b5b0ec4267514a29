import pLimit from "p-limit";

/** Largest number of panels that are read at the same time, so that a dashboard leaves room for other searches. */
export const PANELS_AT_ONCE = 4;

const limit = pLimit(PANELS_AT_ONCE);

/**
 * Calls `read` as soon as fewer than `PANELS_AT_ONCE` reads run. Waiting calls start in their order. Rejects if
 * `signal` is aborted.
 */
export function whenFree<Answer>(signal: AbortSignal, read: () => Promise<Answer>): Promise<Answer> {
  return limit(() => {
    signal.throwIfAborted();
    return read();
  });
}

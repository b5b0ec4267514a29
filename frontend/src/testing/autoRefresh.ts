import { act } from "@testing-library/react";

/** A spy on `setInterval`. */
interface Started {
  readonly mock: { readonly calls: unknown[][] };
}

/** Returns the callback of the running interval of this length, which refreshes the page automatically. */
export function refreshing(started: Started, milliseconds: number): () => void {
  const calls = started.mock.calls.filter(([, delay]) => delay === milliseconds);
  return calls.at(-1)?.[0] as () => void;
}

/**
 * Runs the callback of the interval of this length until `isSent` returns true, because the page may skip a refresh.
 * `isSent` must watch a request that a refresh sends immediately, not a count, because counts are requested later.
 */
export async function refreshUntil(
  started: Started,
  milliseconds: number,
  isSent: () => boolean,
): Promise<void> {
  while (!isSent()) {
    await act(async () => {
      refreshing(started, milliseconds)();
      await new Promise((resolve) => setTimeout(resolve, 10));
    });
  }
}

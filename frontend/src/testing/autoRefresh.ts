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
 * Lets the interval of this length refresh the page, again and again while the page skips it, until `isSent`. It must
 * tell of a request that a refresh sends at once: counts follow later.
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

import { useCallback, useLayoutEffect, useRef } from "react";

/**
 * Returns a function that calls the latest `callback` while the component that uses this hook is shown, and does nothing
 * afterwards. For answers that arrive after the user has left: they must not move the user to another page.
 */
export function useWhileShown<Args extends unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const latest = useRef<((...args: Args) => void) | null>(callback);
  useLayoutEffect(() => {
    latest.current = callback;
    return () => {
      latest.current = null;
    };
  });
  return useCallback((...args: Args) => latest.current?.(...args), []);
}

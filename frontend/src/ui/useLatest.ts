import { useCallback, useLayoutEffect, useRef } from "react";

/**
 * Returns a function that is the same in all renders and calls the latest one given, so that memoised children are drawn
 * again only when their data changes.
 */
export function useLatest<Args extends unknown[], Result = void>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(callback);
  useLayoutEffect(() => {
    latest.current = callback;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}

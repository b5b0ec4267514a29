import type { TimeWindow } from "./timeExpression";

/** The window's part of a cached query's key: JSON, which hashes keys, cannot hold bigints. */
export function windowKey(window: TimeWindow | null): readonly string[] {
  return [String(window?.start), String(window?.end)];
}

/** The window of a query that is enabled only where there is one. */
export function requiredWindow(window: TimeWindow | null): TimeWindow {
  if (window === null) throw new Error("a query was started without a time window");
  return window;
}

import type { TimeWindow } from "./timeExpression";

/** Returns the window's part of a query's cache key, as text. Keys are hashed as JSON, which cannot hold bigints. */
export function windowKey(window: TimeWindow | null): readonly string[] {
  return [String(window?.start), String(window?.end), String(window?.read)];
}

/** The window of a query that is enabled only where there is one. */
export function requiredWindow(window: TimeWindow | null): TimeWindow {
  if (window === null) throw new Error("a query was started without a time window");
  return window;
}

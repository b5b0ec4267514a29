/** Panels beside the results whose width can be changed. */
export type PanelName = "fields" | "record";

export interface WidthBounds {
  readonly min: number;
  readonly max: number;
  /** Default width of the panel, in CSS pixels. */
  readonly usual: number;
}

/** Smallest width, in CSS pixels, that is left for the results beside both panels. */
const RESULTS = 320;

/** Width, in CSS pixels, of the navigation at the left; `--rail` in AppShell.module.css. */
const NAVIGATION = 72;

/** Returns a panel's bounds in CSS pixels on a page that is `page` pixels wide. */
export function widthBounds(panel: PanelName, page: number): WidthBounds {
  const room = page - NAVIGATION;
  if (panel === "fields") return bounds(160, Math.min(480, room * 0.35), 232);
  return bounds(340, Math.min(1200, room - 160 - RESULTS), Math.min(Math.max(room * 0.38, 360), 640));
}

function bounds(min: number, max: number, usual: number): WidthBounds {
  const wide = Math.round(Math.max(min, max));
  return { min, max: wide, usual: Math.round(Math.min(Math.max(usual, min), wide)) };
}

/** Returns the allowed width that is closest to the requested one; null requests the default width. */
export function panelWidth(requested: number | null, { min, max, usual }: WidthBounds): number {
  return requested === null ? usual : Math.round(Math.min(Math.max(requested, min), max));
}

const STEP = 16;

/**
 * Returns the width for a key that is pressed at a panel's edge; undefined for other keys. Arrows move the edge, Home
 * and End give the smallest and largest width, Enter the default width.
 */
export function widthByKey(
  key: string,
  width: number,
  side: "left" | "right",
  { min, max }: WidthBounds,
): number | null | undefined {
  const outwards = side === "left" ? "ArrowRight" : "ArrowLeft";
  const inwards = side === "left" ? "ArrowLeft" : "ArrowRight";
  if (key === outwards) return Math.min(width + STEP, max);
  if (key === inwards) return Math.max(width - STEP, min);
  if (key === "Home") return min;
  if (key === "End") return max;
  return key === "Enter" ? null : undefined;
}

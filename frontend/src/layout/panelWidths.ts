/** Panels beside the results whose width can be changed. */
export type PanelName = "fields" | "record";

export interface WidthBounds {
  readonly least: number;
  readonly most: number;
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

function bounds(least: number, most: number, usual: number): WidthBounds {
  const wide = Math.round(Math.max(least, most));
  return { least, most: wide, usual: Math.round(Math.min(Math.max(usual, least), wide)) };
}

/** Returns the allowed width that is closest to the requested one; null requests the default width. */
export function panelWidth(asked: number | null, { least, most, usual }: WidthBounds): number {
  return asked === null ? usual : Math.round(Math.min(Math.max(asked, least), most));
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
  { least, most }: WidthBounds,
): number | null | undefined {
  const outwards = side === "left" ? "ArrowRight" : "ArrowLeft";
  const inwards = side === "left" ? "ArrowLeft" : "ArrowRight";
  if (key === outwards) return Math.min(width + STEP, most);
  if (key === inwards) return Math.max(width - STEP, least);
  if (key === "Home") return least;
  if (key === "End") return most;
  return key === "Enter" ? null : undefined;
}

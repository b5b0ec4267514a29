/** Panels beside the results whose width can be changed. */
export type PanelName = "fields" | "record";

export interface WidthBounds {
  readonly least: number;
  readonly most: number;
  /** Width of a panel that was not resized. */
  readonly usual: number;
}

/** CSS pixels that the results keep beside both panels. */
const RESULTS = 320;

/** CSS pixels of the navigation at the left, `--rail` in AppShell.module.css. */
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

/** Returns the width that a panel takes when this one is asked for; null asks for the usual one. */
export function panelWidth(asked: number | null, { least, most, usual }: WidthBounds): number {
  return asked === null ? usual : Math.round(Math.min(Math.max(asked, least), most));
}

const STEP = 16;

/**
 * Returns the width that a key asks for at a panel's edge: arrows move the edge, Home and End make the panel as narrow
 * and as wide as it can be, Enter makes it as wide as usual. Undefined for other keys.
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

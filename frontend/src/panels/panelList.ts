import type { DashboardPanel, View } from "../api/types";
import { splitStats } from "../language/statsStage";

/** A panel with a key that stays the same while panels are moved. Stored panels have no id. */
export interface KeyedPanel extends DashboardPanel {
  readonly key: string;
}

export type PanelList = readonly KeyedPanel[];

/** Widths of panels in columns of the grid, and heights in rows. The API has the same bounds. */
export const PANEL_SIZES = [1, 2, 3] as const;
/** Width of a new panel of logs: all columns of the grid, because messages are long. */
const LOGS_WIDTH = 3;
/** Largest number of panels of a dashboard. The API has the same limit. */
export const MAX_PANELS = 24;

/**
 * Returns stored panels with keys. A key is the id of the view and a number, because a view can have several panels.
 */
export function withKeys(panels: readonly DashboardPanel[]): PanelList {
  const counts = new Map<string, number>();
  return panels.map((panel) => {
    const number = (counts.get(panel.view) ?? 0) + 1;
    counts.set(panel.view, number);
    return { ...panel, key: keyOf(panel.view, number) };
  });
}

/** Returns panels in the form that the API stores. It refuses titles with spaces at an end. */
export function withoutKeys(panels: PanelList): DashboardPanel[] {
  return panels.map(({ view, title, width, height }) => ({ view, title: title.trim(), width, height }));
}

/** Returns the panels with a new panel of the view at the end. A panel of logs is wider than one of numbers. */
export function addPanel(panels: PanelList, { id: view, query }: Pick<View, "id" | "query">): PanelList {
  const keys = new Set(panels.map(({ key }) => key));
  let number = 1;
  while (keys.has(keyOf(view, number))) number += 1;
  const width = splitStats(query).stats === null ? LOGS_WIDTH : 1;
  return [...panels, { view, title: "", width, height: 1, key: keyOf(view, number) }];
}

export function removePanel(panels: PanelList, key: string): PanelList {
  return panels.filter((panel) => panel.key !== key);
}

/**
 * Returns the panels after one was moved to an index. An index outside of the list means the nearest end.
 */
export function movePanel(panels: PanelList, key: string, index: number): PanelList {
  const moved = panels.find((panel) => panel.key === key);
  if (moved === undefined) return panels;
  const rest = removePanel(panels, key);
  return rest.toSpliced(Math.min(Math.max(index, 0), rest.length), 0, moved);
}

/** Members of a panel that its controls change. */
export type PanelChange = Partial<Pick<DashboardPanel, "title" | "width" | "height">>;

export function changePanel(panels: PanelList, key: string, change: PanelChange): PanelList {
  return panels.map((panel) => (panel.key === key ? { ...panel, ...change } : panel));
}

function keyOf(view: string, number: number): string {
  return `${view}-${number}`;
}

import { useSyncExternalStore } from "react";
import type { TimeZoneChoice } from "../time/format";
import { lastingStorage } from "./browserStorage";
import type { PanelName } from "./panelWidths";

/** Preferences of this browser. Unlike the state in the URL, they are not part of a link. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly zone: TimeZoneChoice;
  readonly wrap: boolean;
  /** True if the message of an open record wraps at the panel's edge. */
  readonly wrapMessage: boolean;
  /** True while the list of fields is shown beside the results. */
  readonly facets: boolean;
  /** Scale of the axis of counts above the results. */
  readonly chartScale: "linear" | "log";
  readonly chartHeight: "normal" | "tall";
  /** Space around the rows of the list. */
  readonly density: "comfortable" | "compact";
  /** Widths of panels in CSS pixels; null for the default width. */
  readonly widths: Readonly<Record<PanelName, number | null>>;
}

const STORAGE_KEY = "logsieve.preferences";
const DEFAULTS: Preferences = {
  theme: "system",
  zone: "local",
  wrap: false,
  wrapMessage: true,
  facets: true,
  chartScale: "linear",
  chartHeight: "normal",
  density: "comfortable",
  widths: { fields: null, record: null },
};

let current = load(lastingStorage.get(STORAGE_KEY));
const listeners = new Set<() => void>();

/** Reads stored preferences. An unreadable preference takes its default. */
export function load(stored: string | null): Preferences {
  let raw: Partial<Record<keyof Preferences, unknown>> = {};
  try {
    raw = { ...JSON.parse(stored ?? "{}") };
  } catch {
    // Preferences written by another version or by hand can be unreadable. The defaults then apply.
  }
  return {
    theme: raw.theme === "light" || raw.theme === "dark" ? raw.theme : DEFAULTS.theme,
    zone: raw.zone === "utc" ? "utc" : DEFAULTS.zone,
    wrap: raw.wrap === true,
    wrapMessage: raw.wrapMessage !== false,
    facets: raw.facets !== false,
    chartScale: raw.chartScale === "log" ? "log" : DEFAULTS.chartScale,
    chartHeight: raw.chartHeight === "tall" ? "tall" : DEFAULTS.chartHeight,
    density: raw.density === "compact" ? "compact" : DEFAULTS.density,
    widths: loadWidths(raw.widths),
  };
}

function loadWidths(raw: unknown): Preferences["widths"] {
  const widths: Partial<Record<PanelName, unknown>> = { ...(typeof raw === "object" ? raw : null) };
  const width = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  return { fields: width(widths.fields), record: width(widths.record) };
}

export function setPreferences(changes: Partial<Preferences>): void {
  // Another tab may have stored other changes since this tab has read the preferences.
  const next = { ...load(lastingStorage.get(STORAGE_KEY)), ...changes };
  lastingStorage.set(STORAGE_KEY, JSON.stringify(next));
  show(next);
}

/** Takes over preferences that are changed in other tabs of this browser. Returns the function that ends this. */
export function followOtherTabs(): () => void {
  const follow = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY) show(load(lastingStorage.get(STORAGE_KEY)));
  };
  window.addEventListener("storage", follow);
  return () => window.removeEventListener("storage", follow);
}

function show(preferences: Preferences): void {
  current = preferences;
  applyTheme();
  for (const listener of listeners) listener();
}

/** Applies the chosen theme to the document; with "system", the style sheet follows the browser. */
export function applyTheme(): void {
  if (current.theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = current.theme;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const DARK = "(prefers-color-scheme: dark)";

/** Returns the theme on screen, with "system" resolved to the browser's theme. */
export function useShownTheme(): "light" | "dark" {
  const { theme } = usePreferences();
  const systemIsDark = useSyncExternalStore(subscribeToSystem, () => window.matchMedia(DARK).matches);
  if (theme !== "system") return theme;
  return systemIsDark ? "dark" : "light";
}

function subscribeToSystem(listener: () => void): () => void {
  const query = window.matchMedia(DARK);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

// @vitest-environment jsdom
import { expect, it } from "vitest";
import { followOtherTabs, load, setPreferences } from "./preferences";

const DEFAULTS = {
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

it.each([
  null,
  "",
  "{",
  "null",
  "3",
  '{"theme":"pink","zone":1,"wrap":"yes"}',
  '{"widths":{"fields":"9","record":null}}',
])("survives %j", (stored) => {
  expect(load(stored)).toEqual(DEFAULTS);
});

it("reads what it wrote and marks the document", () => {
  const changes = {
    theme: "dark",
    zone: "utc",
    wrap: true,
    chartScale: "log",
    chartHeight: "tall",
    density: "compact",
    widths: { fields: 300, record: null },
  } as const;
  setPreferences(changes);
  expect(load(localStorage.getItem("logsieve.preferences"))).toEqual({ ...DEFAULTS, ...changes });
  expect(document.documentElement.dataset.theme).toBe("dark");
  setPreferences({ theme: "system" });
  expect(document.documentElement.dataset.theme).toBeUndefined();
});

const STORED = "logsieve.preferences";
const stored = () => load(localStorage.getItem(STORED));

it("keeps what another tab has changed", () => {
  setPreferences(load(null));
  localStorage.setItem(STORED, JSON.stringify({ ...DEFAULTS, zone: "utc" }));
  setPreferences({ wrap: true });
  expect(stored()).toEqual({ ...DEFAULTS, zone: "utc", wrap: true });
});

it("follows changes of another tab until it is told to stop", () => {
  setPreferences(load(null));
  const stop = followOtherTabs();
  const changeElsewhere = (theme: "dark" | "light") => {
    localStorage.setItem(STORED, JSON.stringify({ ...DEFAULTS, theme }));
    window.dispatchEvent(new StorageEvent("storage", { key: STORED }));
  };
  changeElsewhere("dark");
  expect(document.documentElement.dataset.theme).toBe("dark");
  stop();
  changeElsewhere("light");
  expect(document.documentElement.dataset.theme).toBe("dark");
  setPreferences(load(null));
});

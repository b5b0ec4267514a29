// @vitest-environment jsdom
import { expect, it } from "vitest";
import { load, setPreferences } from "./preferences";

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

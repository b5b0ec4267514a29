// @vitest-environment jsdom
import { expect, it } from "vitest";
import { load, setPreferences } from "./preferences";

const DEFAULTS = { theme: "system", zone: "local", wrap: false, wrapMessage: true, facets: true };

it.each([null, "", "{", "null", "3", '{"theme":"pink","zone":1,"wrap":"yes"}'])("survives %j", (stored) => {
  expect(load(stored)).toEqual(DEFAULTS);
});

it("reads what it wrote and marks the document", () => {
  setPreferences({ theme: "dark", zone: "utc", wrap: true });
  expect(load(localStorage.getItem("logsieve.preferences"))).toEqual({
    theme: "dark",
    zone: "utc",
    wrap: true,
    wrapMessage: true,
    facets: true,
  });
  expect(document.documentElement.dataset.theme).toBe("dark");
  setPreferences({ theme: "system" });
  expect(document.documentElement.dataset.theme).toBeUndefined();
});

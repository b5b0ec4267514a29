import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { load, setPreferences } from "../preferences/preferences";

// A canvas chart cannot be drawn here; its numbers are in the table beside it. The mock is registered for each test
// file, because the first file that shows a page loads the page's chart.
vi.mock("uplot", () => ({
  default: class {
    static readonly paths = {};
    setSize() {}
    destroy() {}
  },
}));

// Generous, because the machines that run tests are shared.
configure({ asyncUtilTimeout: 40_000 });

// Test files of components share modules and the document, so each test starts with both as on a new page. The
// reset comes before a test, because a late answer to the previous test may still write to the storage.
beforeEach(() => {
  setPreferences(load(null));
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, "", "/");
  document.title = "";
  document.body.replaceChildren();
});

// Testing Library calls `cleanup` itself only if `afterEach` is a global function.
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

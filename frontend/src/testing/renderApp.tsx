import { createMemoryHistory } from "@tanstack/react-router";
import { cleanup, configure, render } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";
import { App } from "../App";

// A canvas chart cannot be drawn here; its numbers are in the table beside it.
vi.mock("uplot", () => ({
  default: class {
    static readonly paths = {};
    setSize() {}
    destroy() {}
  },
}));

/** Gives jsdom the layout that the list and the editor measure; call it once in a test file. */
export function prepareBrowser(): void {
  // Generous, because the machines that run tests are shared.
  configure({ asyncUtilTimeout: 40_000 });
  beforeEach(() => {
    localStorage.clear();
    sessionStorage.clear();
    localStorage.setItem("logsieve.query-key", "demo-key");
    localStorage.setItem("logsieve.has-logs", "demo");
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.stubGlobal(
      "ResizeObserver",
      class {
        observe() {}
        unobserve() {}
        disconnect() {}
      },
    );
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
    vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1000);
    Range.prototype.getClientRects = () => document.createElement("div").getClientRects();
    Range.prototype.getBoundingClientRect = () => new DOMRect();
    Element.prototype.scrollTo = () => {};
    Element.prototype.scrollIntoView = () => {};
  });
  afterEach(() => {
    cleanup();
    vi.unstubAllGlobals();
  });
}

/** The page as a browser at that URL shows it. */
export function renderApp(url = "/") {
  const history = createMemoryHistory({ initialEntries: [url] });
  return { history, ...render(<App history={history} />) };
}

import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { beforeEach, vi } from "vitest";
import { App } from "../App";
import { stubResizeObserver } from "./stubResizeObserver";

/**
 * Stores a query key, and gives jsdom the layout that the list and the editor measure, before each test. Call it once
 * in a test file.
 */
export function prepareBrowser(): void {
  beforeEach(() => {
    localStorage.setItem("logsieve.query-key", "demo-key");
    localStorage.setItem("logsieve.has-logs", "demo");
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    stubResizeObserver();
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
    vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1000);
    Range.prototype.getClientRects = () => document.createElement("div").getClientRects();
    Range.prototype.getBoundingClientRect = () => new DOMRect();
    Element.prototype.scrollTo = () => {};
    Element.prototype.scrollIntoView = () => {};
  });
}

/**
 * Shows the page as a browser at that URL does. Only `createBrowserHistory` asks blockers before it goes back; the default
 * history does not.
 */
export function renderApp(url = "/", history = createMemoryHistory({ initialEntries: [url] })) {
  return { history, ...render(<App history={history} />) };
}

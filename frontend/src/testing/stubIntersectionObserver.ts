import { vi } from "vitest";

/**
 * Gives jsdom an IntersectionObserver, which panels and lists need. `onObserve` is called for each observed element, with
 * the function that reports whether the element is visible. By default nothing is reported.
 */
export function stubIntersectionObserver(
  onObserve: (element: Element, report: (isIntersecting: boolean) => void) => void = () => {},
): void {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(private readonly callback: (entries: { isIntersecting: boolean }[]) => void) {}
      observe(element: Element) {
        onObserve(element, (isIntersecting) => this.callback([{ isIntersecting }]));
      }
      disconnect() {}
    },
  );
}

import { vi } from "vitest";

/** Gives jsdom a ResizeObserver that reports nothing, which menus and the list need. */
export function stubResizeObserver(): void {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
}

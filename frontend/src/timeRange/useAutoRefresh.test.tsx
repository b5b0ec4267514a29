// @vitest-environment jsdom
import { renderHook } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { useAutoRefresh } from "./useAutoRefresh";

beforeEach(() => {
  vi.useFakeTimers();
  vi.restoreAllMocks();
});

it("calls back at the interval, but not while a search runs, and never when it is off", () => {
  const refresh = vi.fn();
  const hook = renderHook(({ every, busy }) => useAutoRefresh(every, busy, refresh), {
    initialProps: { every: 10_000 as number | null, busy: false },
  });
  vi.advanceTimersByTime(20_000);
  expect(refresh).toHaveBeenCalledTimes(2);
  hook.rerender({ every: 10_000, busy: true });
  vi.advanceTimersByTime(20_000);
  expect(refresh).toHaveBeenCalledTimes(2);
  hook.rerender({ every: null, busy: false });
  vi.advanceTimersByTime(60_000);
  expect(refresh).toHaveBeenCalledTimes(2);
});

it("leaves rows in place that are read further down", () => {
  const refresh = vi.fn();
  document.body.innerHTML = '<main><div role="grid"></div></main>';
  const list = document.querySelector("[role=grid]") as HTMLElement;
  renderHook(() => useAutoRefresh(10_000, false, refresh));
  list.scrollTop = 40;
  vi.advanceTimersByTime(10_000);
  expect(refresh).not.toHaveBeenCalled();
  list.scrollTop = 0;
  vi.advanceTimersByTime(10_000);
  expect(refresh).toHaveBeenCalledTimes(1);
});

it("refreshes when the page is shown again, if a refresh was due in the background", () => {
  const refresh = vi.fn();
  const visibility = vi.spyOn(document, "visibilityState", "get");
  const turn = (state: DocumentVisibilityState) => {
    visibility.mockReturnValue(state);
    document.dispatchEvent(new Event("visibilitychange"));
  };
  document.body.innerHTML = "";
  const hook = renderHook(() => useAutoRefresh(10_000, false, refresh));
  turn("hidden");
  turn("visible");
  expect(refresh).not.toHaveBeenCalled();
  turn("hidden");
  vi.advanceTimersByTime(35_000);
  expect(refresh).not.toHaveBeenCalled();
  turn("visible");
  expect(refresh).toHaveBeenCalledTimes(1);
  turn("hidden");
  turn("visible");
  expect(refresh).toHaveBeenCalledTimes(1);
  hook.unmount();
});

// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { useCopy } from "./useCopy";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(document, "execCommand");
});

it.each([
  ["Copied", () => Promise.resolve()],
  ["Copying is blocked", () => Promise.reject(new Error("denied"))],
])("says for a short time: %s", async (said, write) => {
  vi.useFakeTimers();
  const writeText = vi.fn(write);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  document.execCommand = () => false;
  const { result } = renderHook(useCopy);
  expect(result.current.said).toBe("");
  await act(async () => result.current.copy("text"));
  expect(writeText).toHaveBeenCalledWith("text");
  expect(result.current.said).toBe(said);
  act(() => vi.advanceTimersByTime(2_000));
  expect(result.current.said).toBe("");
});

// @vitest-environment jsdom
import { act, renderHook, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { RELEASE_MS, useReleased } from "./useReleased";

const settings = vi.hoisted(() => ({ isEndless: false }));
vi.mock(import("./useReleased"), async (original) => {
  const real = await original();
  const useFirstRows = (run: string, hasFirstRows: boolean, isCancelled: boolean) => {
    const isReleased = real.useReleased(run, hasFirstRows, isCancelled);
    return settings.isEndless ? hasFirstRows : isReleased;
  };
  return { ...real, useReleased: useFirstRows };
});

prepareBrowser();
afterEach(() => {
  settings.isEndless = false;
  vi.useRealTimers();
});

it("requests counts and fields after the first rows of the search", async () => {
  settings.isEndless = true;
  const api = installFakeApi();
  const stream = openStream();
  api.on(/search$/, () => ({ body: null, lines: stream.lines }));
  renderApp("/?query=a");
  await screen.findByTestId(testIds.cancel);
  const requests = () => api.requests.map((request) => request.split("?")[0]?.split("/").at(-1));
  await waitFor(() => expect(requests()).toContain("search"));
  expect(requests()).not.toContain("histogram");
  expect(requests()).not.toContain("fields");

  const progress = { windows: 1, rows_read: 1, bytes_read: 1, elapsed_ms: 1 };
  stream.write({ log: sampleLog({ body: "the first row" }) }, { progress });
  await screen.findByText("the first row");
  await waitFor(() => expect(requests()).toEqual(expect.arrayContaining(["histogram", "fields"])));
});

it("waits no longer than a while, for each run anew, and not at all for a cancelled one", () => {
  vi.useFakeTimers();
  const hook = renderHook(({ run, rows, cancelled }) => useReleased(run, rows, cancelled), {
    initialProps: { run: "1", rows: false, cancelled: false },
  });
  const after = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));
  after(RELEASE_MS - 1);
  expect(hook.result.current).toBe(false);
  after(1);
  expect(hook.result.current).toBe(true);
  hook.rerender({ run: "2", rows: false, cancelled: true });
  after(2 * RELEASE_MS);
  expect(hook.result.current).toBe(false);
  hook.rerender({ run: "2", rows: true, cancelled: false });
  after(0);
  expect(hook.result.current).toBe(true);
});

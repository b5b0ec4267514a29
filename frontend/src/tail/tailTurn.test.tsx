// @vitest-environment jsdom
import { act, renderHook, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { FURTHER_TAILS, useTailTurn } from "./useTailTurn";

prepareBrowser();

let visibility: DocumentVisibilityState;

beforeEach(() => {
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
});

function turn(next: DocumentVisibilityState) {
  visibility = next;
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
}

/** Another tab opens or shows a tail: the browser tells the page of a change in the storage. */
function dispatchTail(tab: number) {
  window.dispatchEvent(new StorageEvent("storage", { key: "logsieve.tail-used", newValue: String(tab) }));
}

const openTail = (tab: number) => act(() => dispatchTail(tab));

it("ends for a hidden tab when enough other tabs have opened tails, until the tab is shown", () => {
  const { result } = renderHook(() => useTailTurn());
  const openAll = (count: number) => Array.from({ length: count }, (_, tab) => openTail(tab));
  openAll(FURTHER_TAILS + 1);
  expect(result.current).toBe(true);

  turn("hidden");
  openAll(FURTHER_TAILS - 1);
  openAll(FURTHER_TAILS - 1);
  expect(result.current).toBe(true);
  turn("visible");
  turn("hidden");
  openTail(FURTHER_TAILS);
  expect(result.current).toBe(true);

  openAll(FURTHER_TAILS);
  expect(result.current).toBe(false);
  turn("visible");
  expect(result.current).toBe(true);
});

it("is told to the other tabs when the tail is opened and when the tab is shown", () => {
  const set = vi.spyOn(Storage.prototype, "setItem");
  const told = () => set.mock.calls.filter(([key]) => key === "logsieve.tail-used").length;
  renderHook(() => useTailTurn());
  expect(told()).toBe(1);
  turn("hidden");
  expect(told()).toBe(1);
  turn("visible");
  expect(told()).toBe(2);
  expect(localStorage.getItem("logsieve.tail-used")).toBeNull();
});

it("begins again if the tab was shown while the tail was given up", () => {
  const { result } = renderHook(() => useTailTurn());
  turn("hidden");
  act(() => {
    for (let tab = 0; tab < FURTHER_TAILS; tab += 1) dispatchTail(tab);
    visibility = "visible";
  });
  expect(result.current).toBe(true);
});

it.each(["h2", "h3"])(
  "never ends if the page came over %s, where tabs share a connection",
  (nextHopProtocol) => {
    vi.spyOn(performance, "getEntriesByType").mockReturnValue([
      { nextHopProtocol } as PerformanceNavigationTiming,
    ]);
    const { result } = renderHook(() => useTailTurn());
    turn("hidden");
    for (let tab = 0; tab < FURTHER_TAILS; tab += 1) openTail(tab);
    expect(result.current).toBe(true);
  },
);

it("frees the connection of a tail, which continues after its last log", async () => {
  const api = installFakeApi();
  const log = sampleLog({ id: "0a", body: "arrived first" });
  const streams = [`id: 7\nevent: log\ndata: ${JSON.stringify(log)}\n\n`, ""];
  api.on(/tail$/, () => ({
    body: null,
    lines: new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode(streams.shift())),
    }),
  }));
  renderApp("/?tail=1");
  await screen.findByText("arrived first");
  const tails = () => api.sent.filter(({ url }) => url.includes("/logs/tail"));
  turn("hidden");
  for (let tab = 0; tab < FURTHER_TAILS; tab += 1) openTail(tab);
  await waitFor(() => expect(tails()[0]?.signal.aborted).toBe(true));
  expect(tails()).toHaveLength(1);

  turn("visible");
  await waitFor(() => expect(tails()).toHaveLength(2));
  expect(tails()[1]?.headers.get("Last-Event-ID")).toBe("7");
  expect(screen.getByText("arrived first")).toBeTruthy();
  await waitFor(() => expect(screen.getByTestId(testIds.tailStatus).textContent).toBe("Live"));
});

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

/** Another tab opens a tail: the browser tells the page of a change in the storage. */
function openTail(tab: number) {
  const event = new StorageEvent("storage", { key: "logsieve.tail-opened", newValue: String(tab) });
  act(() => void window.dispatchEvent(event));
}

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

it("is told to the other tabs", () => {
  const set = vi.spyOn(Storage.prototype, "setItem");
  renderHook(() => useTailTurn());
  expect(set.mock.calls.map(([key]) => key)).toEqual(["logsieve.tail-opened"]);
  expect(localStorage.getItem("logsieve.tail-opened")).toBeNull();
});

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

// @vitest-environment jsdom
import { EditorView } from "@codemirror/view";
import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Log } from "../api/types";
import { testIds } from "../testIds";
import type { FakeApi } from "../testing/fakeApi";
import { COUNTING, HISTOGRAM, installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { TAIL_REFRESH_MS, useTailRefresh } from "./useTailRefresh";

const refreshes = vi.hoisted(() => ({ now: () => {}, isBusy: false }));
vi.mock(import("./useTailRefresh"), async (original) => {
  const real = await original();
  const useCaught = (isOn: boolean, isBusy: boolean, onRefresh: () => void) => {
    real.useTailRefresh(isOn, isBusy, onRefresh);
    Object.assign(refreshes, { now: onRefresh, isBusy });
  };
  return { ...real, useTailRefresh: useCaught };
});

prepareBrowser();

/** A tail that sends these logs, and then this event, and then stays open. */
function tailOf(logs: readonly Log[], event = "") {
  const sent = logs.map((log) => `id: ${log.id}\nevent: log\ndata: ${JSON.stringify(log)}\n\n`);
  const text = sent.join("") + event;
  const lines = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode(text)),
  });
  return { body: null, lines };
}

const NO_FIELDS = { body: { ...COUNTING, complete: true, fields: [] } };
let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
  const older = sampleLog({ id: "01", body: "arrived first" });
  api.on(/tail$/, () => tailOf([older, sampleLog({ id: "02", body: "arrived second" })]));
});
const requested = (path: string) => api.requests.filter((request) => request.includes(`/logs/${path}?`));

it("is in the URL, goes on with another query, and searches nothing meanwhile", async () => {
  const { history } = renderApp("/?query=order&tail=1");
  await userEvent.click(await screen.findByText("arrived first"));
  const field = within((await screen.findAllByTestId(testIds.field))[0] ?? document.body);
  await userEvent.click(field.getByTestId(testIds.filterFor));
  await waitFor(() => expect(requested("tail")).toHaveLength(2));
  expect(requested("tail")[1]).toContain("query=order%20");
  expect(history.location.search).toContain("tail=1");
  expect(screen.getByTestId(testIds.tailToggle).getAttribute("aria-pressed")).toBe("true");
  expect(requested("search")).toEqual([]);

  await userEvent.click(screen.getByTestId(testIds.tailToggle));
  await waitFor(() => expect(requested("search")).toHaveLength(1));
  expect(history.location.search).not.toContain("tail");
});

it("gives way to the chart of a text with stats that is run", async () => {
  const { history } = renderApp("/?query=order&tail=1");
  await screen.findByText("arrived first");
  const editor = EditorView.findFromDOM(screen.getByTestId(testIds.queryInput));
  if (editor === null) throw new Error("the page has no query bar");
  act(() => editor.dispatch({ changes: { from: editor.state.doc.length, insert: " | stats count()" } }));
  await userEvent.click(screen.getByTestId(testIds.run));
  await screen.findByTestId(testIds.chart);
  expect(screen.queryByTestId(testIds.tail)).toBeNull();
  const search = new URLSearchParams(history.location.search);
  expect([search.get("stats"), search.get("tail")]).toEqual(["count()", null]);
});

it("gives way to the chart of a saved view, also to one with the numbers of before", async () => {
  const listed = { id: "0123456789ab", name: "Errors", folder: "", is_default: false, revision: 1 };
  const view = { query: "| stats count()", start: "now-1h", end: "now", order: "desc", columns: [] };
  api.on(/views$/, () => ({ body: { views: [listed] } }));
  api.on(/views\/\w+$/, () => ({ body: { ...listed, ...view, chart_by: null, chart_kind: null } }));
  const { history } = renderApp("/?stats=count()&mode=chart&tail=1");
  await screen.findByText("arrived first");
  await userEvent.click(screen.getByTestId(testIds.views));
  await userEvent.click(await screen.findByTestId(testIds.viewItem));
  await screen.findByTestId(testIds.chart);
  expect(screen.queryByTestId(testIds.tail)).toBeNull();
  expect(new URLSearchParams(history.location.search).has("tail")).toBe(false);
});

it("shows no order by time, because its rows are in their order of arrival", async () => {
  renderApp("/?tail=1");
  await screen.findByText("arrived second");
  const time = screen.getByRole("columnheader", { name: /^Time/ });
  expect(time.getAttribute("aria-sort")).toBeNull();
  expect(time.querySelector("svg")).toBeNull();
});

it("leads to the next and the previous record", async () => {
  renderApp("/?tail=1");
  await userEvent.click(await screen.findByText("arrived second"));
  const body = () => screen.getByTestId(testIds.detailBody).textContent;
  await userEvent.click(screen.getByTestId(testIds.detailNext));
  await waitFor(() => expect(body()).toBe("arrived first"));
  await userEvent.click(screen.getByTestId(testIds.detailPrevious));
  await waitFor(() => expect(body()).toBe("arrived second"));
});

it("copies a link to the open record whose range includes the record", async () => {
  const user = userEvent.setup();
  renderApp("/?tail=1&from=now-1h&to=now");
  await user.click(await screen.findByText("arrived first"));
  await user.click(await screen.findByTestId(testIds.detailLink));
  const link = new URL(await navigator.clipboard.readText());
  expect(link.searchParams.get("record")).toBe("01");
  expect(link.searchParams.get("from")).toBe(sampleLog().timestamp);
});

it("counts again up to now, without dimming the chart", async () => {
  renderApp("/?tail=1");
  await waitFor(() => expect(screen.getByTestId(testIds.histogramTotal).textContent).toBe("0"));
  const busy: (string | null)[] = [];
  api.on(/histogram$/, () => {
    busy.push(screen.getByTestId(testIds.histogram).getAttribute("aria-busy"));
    return HISTOGRAM;
  });
  act(() => refreshes.now());
  await waitFor(() => expect(requested("histogram")).toHaveLength(2));
  await waitFor(() => expect(requested("fields")).toHaveLength(2));
  expect(requested("histogram")[1]).not.toBe(requested("histogram")[0]);
  expect(busy).toEqual(["false"]);
});

it.each(["histogram", "fields"])(
  "waits for a slow request for the %s before it counts again",
  async (path) => {
    const { isHeld, release } = held();
    api.on(new RegExp(`${path}$`), async () => {
      await isHeld;
      return path === "fields" ? NO_FIELDS : HISTOGRAM;
    });
    renderApp("/?tail=1");
    if (path === "fields")
      await waitFor(() => expect(screen.getByTestId(testIds.histogramTotal).textContent).toBe("0"));
    else await screen.findByText("No fields.");
    expect(requested(path)).toHaveLength(1);
    expect(refreshes.isBusy).toBe(true);
    release();
    await waitFor(() => expect(refreshes.isBusy).toBe(false));
  },
);

it.each([
  ["continues after its last log", "not_found", "02", null],
  ["says that logs are missing where it cannot continue", "invalid_cursor", null, /^Records are missing\./],
])("that ended and is tried again %s", async (_, code, lastId, gap) => {
  const end = `event: end\ndata: ${JSON.stringify({ status: 400, code, detail: "no", dropped: 0 })}\n\n`;
  api.on(/tail$/, () => tailOf([sampleLog({ id: "02", body: "arrived before" })], end));
  renderApp("/?tail=1");
  await screen.findByText("arrived before");
  const retry = await screen.findByTestId(testIds.retry);
  api.on(/tail$/, () => tailOf([sampleLog({ id: "03", body: "arrived after" })]));
  await userEvent.click(retry);
  await screen.findByText("arrived after");
  const tails = api.sent.filter(({ url }) => url.includes("/logs/tail?"));
  expect(tails.map(({ headers }) => headers.get("Last-Event-ID"))).toEqual([null, lastId]);
  const shown = screen.queryByTestId(testIds.tailGap);
  if (gap === null) expect(shown).toBeNull();
  else expect(shown?.textContent).toMatch(gap);
});

it("continues after its last log when the user signs in again with another key", async () => {
  renderApp("/?tail=1");
  await screen.findByText("arrived second");
  api.on(/histogram$/, (_search, _path, key) =>
    key === "demo-key" ? problem(401, "unauthenticated", "the key was revoked") : HISTOGRAM,
  );
  api.on(/tail$/, () => tailOf([sampleLog({ id: "03", body: "arrived after" })]));
  act(() => refreshes.now());
  await userEvent.type(await screen.findByTestId(testIds.signInKey), "newer-key{Enter}");
  await screen.findByText("arrived after");
  const tails = api.sent.filter(({ url }) => url.includes("/logs/tail?"));
  expect(tails.map(({ headers }) => headers.get("Last-Event-ID"))).toEqual([null, "02"]);
});

it("says so where the counts do not follow", async () => {
  renderApp("/?tail=1&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z");
  expect(await screen.findByText("Counts of the chosen range, not of the live tail")).toBeTruthy();
});

it("counts at intervals while it runs, and only when the last counts have arrived", () => {
  vi.useFakeTimers();
  const counted = vi.fn();
  const { rerender, unmount } = renderHook(({ isOn, isBusy }) => useTailRefresh(isOn, isBusy, counted), {
    initialProps: { isOn: true, isBusy: false },
  });
  vi.advanceTimersByTime(2 * TAIL_REFRESH_MS);
  expect(counted).toHaveBeenCalledTimes(2);
  rerender({ isOn: true, isBusy: true });
  vi.advanceTimersByTime(TAIL_REFRESH_MS);
  expect(counted).toHaveBeenCalledTimes(2);
  rerender({ isOn: false, isBusy: false });
  vi.advanceTimersByTime(TAIL_REFRESH_MS);
  expect(counted).toHaveBeenCalledTimes(2);
  unmount();
  vi.useRealTimers();
});

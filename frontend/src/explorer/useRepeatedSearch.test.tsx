// @vitest-environment jsdom
import { act, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { refreshing, refreshUntil } from "../testing/autoRefresh";
import { HISTOGRAM, installFakeApi, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { useIsAnswered, useRepeatedSearch } from "./useRepeatedSearch";

prepareBrowser();

it("dims rows and counts of another range after going back to a search that was refreshed automatically", async () => {
  const started = vi.spyOn(globalThis, "setInterval");
  const api = installFakeApi();
  let found = "of the hour";
  let isOpen = false;
  api.on(/search$/, () =>
    isOpen ? { body: null, lines: openStream().lines } : searchPage([sampleLog({ body: found })]),
  );
  api.on(/histogram$/, (search) => {
    if (isOpen) return { body: null, lines: openStream().lines };
    const bucket = { start: search.get("start"), total: 7, by_severity: { info: 7 } };
    return { body: { interval_ns: 60_000_000_000, by: null, series: [], buckets: [bucket] } };
  });
  const { history } = renderApp("/?query=a&from=now-1h&to=now&refresh=10s");
  const total = () => screen.getByTestId(testIds.histogramTotal).textContent;
  await screen.findByText("of the hour");
  await waitFor(() => expect(total()).toBe("7"));
  const searches = () => api.requests.filter((request) => request.includes("/search?")).length;
  await refreshUntil(started, 10_000, () => searches() > 1);
  expect(searches()).toBe(2);
  expect(screen.getByTestId(testIds.results).dataset.stale).toBe("false");

  found = "of the minute";
  history.push("/?query=a&from=2026-11-21T01:00:00Z&to=2026-11-21T01:01:00Z&refresh=10s");
  await screen.findByText("of the minute");
  await waitFor(() => expect(screen.getByTestId(testIds.resultCount).textContent).toContain("7"));
  isOpen = true;
  history.back();
  await waitFor(() => expect(searches()).toBe(4));
  expect(screen.getByText("of the minute")).toBeTruthy();
  expect(screen.getByTestId(testIds.results).dataset.stale).toBe("true");
  expect(screen.getByTestId(testIds.resultCount).textContent).not.toContain("7");
  expect(screen.getByTestId(testIds.histogram).getAttribute("aria-busy")).toBe("true");
});

it("refreshes automatically only after slow counts have arrived", async () => {
  const started = vi.spyOn(globalThis, "setInterval");
  const { isHeld, release } = held();
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/histogram$/, async () => {
    await isHeld;
    return HISTOGRAM;
  });
  renderApp("/?query=a&from=now-1h&to=now&refresh=10s");
  const sent = (path: string) => api.sent.filter(({ url }) => url.includes(`/${path}?`));
  await screen.findByText("No fields.");
  expect(sent("histogram")).toHaveLength(1);
  act(() => refreshing(started, 10_000)());
  expect(sent("histogram")[0]?.signal.aborted).toBe(false);
  release();
  await waitFor(() => expect(screen.getByTestId(testIds.histogramTotal).textContent).toBe("0"));
  await refreshUntil(started, 10_000, () => sent("search").length > 1);
  await waitFor(() => expect(sent("histogram")).toHaveLength(2));
  expect(sent("search")).toHaveLength(2);
});

const PATTERNS = {
  sampled: 1,
  matching: 1,
  is_estimate: false,
  found: 1,
  patterns: [
    {
      template: "of the hour",
      records: 1,
      share: 1,
      counts: [1],
      new: null,
      first_seen: "2026-11-21T00:00:00.000000000Z",
      last_seen: "2026-11-21T00:00:00.000000000Z",
      example: "01",
      query: null,
      exclude: null,
    },
  ],
};

it("refreshes patterns automatically, which stay undimmed, until the menu above them turns it off", async () => {
  const user = userEvent.setup();
  const started = vi.spyOn(globalThis, "setInterval");
  const { isHeld, release } = held();
  const api = installFakeApi();
  let isFirst = true;
  api.on(/patterns$/, async () => {
    if (!isFirst) await isHeld;
    isFirst = false;
    return { body: PATTERNS };
  });
  const { history } = renderApp("/?query=a&from=now-1h&to=now&refresh=10s&mode=patterns");
  const list = () => screen.getByRole("region", { name: "List of patterns" });
  const requests = () => api.requests.filter((request) => request.includes("/patterns?"));
  await screen.findByText("No fields.");
  await waitFor(() => expect(list().dataset.stale).toBe("false"));
  await refreshUntil(started, 10_000, () => requests().length > 1);
  expect(requests()).toHaveLength(2);
  expect(screen.getByTestId(testIds.patterns).getAttribute("aria-busy")).toBe("true");
  expect(list().dataset.stale).toBe("false");
  release();

  await user.click(screen.getByTestId(testIds.autoRefresh));
  await user.click(screen.getByRole("menuitemradio", { name: "Off" }));
  await waitFor(() => expect(history.location.search).not.toContain("refresh"));
});

it("ends the repetition with another search", () => {
  const hook = renderHook(({ search }) => useRepeatedSearch(search), { initialProps: { search: "a" } });
  act(() => hook.result.current[1]("a"));
  expect(hook.result.current[0]).toBe(true);
  hook.rerender({ search: "b" });
  expect(hook.result.current[0]).toBe(false);
  hook.rerender({ search: "a" });
  expect(hook.result.current[0]).toBe(false);
});

it("counts an answer as the search's own until another search is answered", () => {
  const hook = renderHook(({ search, has }) => useIsAnswered(search, has), {
    initialProps: { search: "a", has: true },
  });
  const after = (search: string, has: boolean) => {
    hook.rerender({ search, has });
    return hook.result.current;
  };
  expect(after("a", false)).toBe(true);
  expect(after("b", false)).toBe(false);
  expect(after("a", false)).toBe(true);
  expect(after("b", true)).toBe(true);
  expect(after("a", false)).toBe(false);
});

// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { refreshUntil } from "../testing/autoRefresh";
import { COUNTING, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const RANGE = "from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z";
const linked = sampleLog({
  id: "fa5",
  body: "the linked record",
  timestamp: "2026-11-21T01:10:00.000000005Z",
});

it.each([
  ["desc", "01:00:00.000000000Z", "01:10:00.000000006Z", "01:10:00.000000006Z", "02:00:00.000000000Z", "asc"],
  ["asc", "01:10:00.000000005Z", "02:00:00.000000000Z", "01:00:00.000000000Z", "01:10:00.000000005Z", "desc"],
])(
  "lists from a linked record on that is beyond the first page, %s, and what stands before it",
  async (...row) => {
    const [order, start, end, startBefore, endBefore, orderBefore] = row;
    const api = installFakeApi();
    const at = (time: string | null) => time?.replace("2026-11-21T", "");
    api.on(/search$/, (search) => {
      const requested = [at(search.get("start")), at(search.get("end")), search.get("order")].join();
      if (requested === [start, end, order].join()) return searchPage([linked, sampleLog({ id: "later" })]);
      if (requested === [startBefore, endBefore, orderBefore].join())
        return searchPage([
          sampleLog({ id: "near", body: "near" }),
          sampleLog({ id: "nearer", body: "further" }),
        ]);
      return searchPage([sampleLog({ id: "first" })], "c2");
    });
    api.on(/logs\/fa5$/, () => ({ body: linked }));
    renderApp(`/?${RANGE}&order=${order}&record=fa5`);
    const selected = () =>
      screen.queryAllByTestId(testIds.resultRow).find((row) => row.getAttribute("aria-selected") === "true");
    await waitFor(() => expect(selected()?.textContent).toContain("the linked record"));

    await userEvent.click(await screen.findByTestId(testIds.loadBefore));
    await screen.findByText("near");
    const ids = screen.getAllByTestId(testIds.resultRow).map((row) => row.id);
    expect(ids).toEqual(["row-nearer", "row-near", "row-fa5", "row-later"]);
    expect(screen.queryByTestId(testIds.loadBefore)).toBeNull();
  },
);

it("goes on from the linked record at an automatic refresh, without a list of the newest rows", async () => {
  const started = vi.spyOn(globalThis, "setInterval");
  const api = installFakeApi();
  const recent = { ...linked, timestamp: new Date(Date.now() - 600_000).toISOString() };
  const end = recent.timestamp.slice(0, 19);
  api.on(/search$/, (search) =>
    search.get("end")?.startsWith(end)
      ? searchPage([recent])
      : searchPage([sampleLog({ id: "first" })], "c2"),
  );
  api.on(/logs\/fa5$/, () => ({ body: recent }));
  renderApp("/?from=now-1h&to=now&refresh=10s&record=fa5");
  const rows = () => screen.queryAllByTestId(testIds.resultRow).map(({ id }) => id);
  await waitFor(() => expect(rows()).toEqual(["row-fa5"]));
  const searches = () => api.requests.filter((request) => request.includes("/logs/search?"));
  const before = searches().length;
  for (const number of [1, 2]) {
    await refreshUntil(started, 10_000, () => searches().length >= before + number);
    expect(searches()).toHaveLength(before + number);
    await waitFor(() => expect(screen.queryByTestId(testIds.cancel)).toBeNull());
    expect(rows()).toEqual(["row-fa5"]);
  }
  const ends = searches().map((request) => new URLSearchParams(request.split("?")[1]).get("end") ?? "");
  expect(ends.slice(before).map((each) => each.startsWith(end))).toEqual([true, true]);
});

it("leaves the list as it is when the linked record is closed and opened again after a refresh", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  const recent = { ...linked, timestamp: new Date(Date.now() - 600_000).toISOString() };
  const first = sampleLog({ id: "first" });
  let isNear = false;
  api.on(/search$/, (search) => {
    if (search.get("end")?.startsWith(recent.timestamp.slice(0, 19))) return searchPage([recent]);
    return isNear ? searchPage([first, recent]) : searchPage([first], "c2");
  });
  api.on(/logs\/fa5$/, () => ({ body: recent }));
  renderApp("/?from=now-1h&to=now&record=fa5");
  const rows = () => screen.queryAllByTestId(testIds.resultRow).map(({ id }) => id);
  await waitFor(() => expect(rows()).toEqual(["row-fa5"]));
  await screen.findByTestId(testIds.detail);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId(testIds.detail)).toBeNull());
  isNear = true;
  await user.click(screen.getByTestId(testIds.refresh));
  await waitFor(() => expect(rows()).toEqual(["row-first", "row-fa5"]));

  const searches = () => api.requests.filter((request) => request.includes("/logs/search?")).length;
  const before = searches();
  await user.click(screen.getByText("the linked record"));
  await screen.findByTestId(testIds.detail);
  expect(rows()).toEqual(["row-first", "row-fa5"]);
  expect(searches()).toBe(before);
});

/** A server with a record before and one after the linked record, each on a page of its own. */
function withPagesAround(isBeforeDown: () => boolean, isNextDown: () => boolean) {
  const api = installFakeApi();
  const page = (id: string, isDown: boolean) =>
    isDown ? problem(500, "internal", `no ${id}`) : searchPage([sampleLog({ id })]);
  api.on(/search$/, (search) => {
    if (search.get("order") === "asc") return page("near", isBeforeDown());
    if (!search.get("end")?.includes("01:10:00")) return searchPage([sampleLog({ id: "first" })], "c2");
    return search.get("cursor") === null ? searchPage([linked], "n1") : page("next", isNextDown());
  });
  api.on(/logs\/fa5$/, () => ({ body: linked }));
  return api;
}

const ids = () => screen.queryAllByTestId(testIds.resultRow).map((row) => row.id);
const below = () => within(screen.getByTestId(testIds.results)).queryByTestId(testIds.error);

it("keeps the rows of the list when another part is tried again, and repeats only the page that failed", async () => {
  let isDown = true;
  const api = withPagesAround(
    () => false,
    () => isDown,
  );
  api.on(/fields$/, () =>
    isDown ? problem(500, "internal", "no") : { body: { ...COUNTING, complete: true, fields: [] } },
  );
  renderApp(`/?${RANGE}&record=fa5`);
  await userEvent.click(await screen.findByTestId(testIds.loadBefore));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5"]));
  await waitFor(() => expect(below()).not.toBeNull());

  isDown = false;
  const searches = () => api.requests.filter((request) => request.includes("/search?"));
  const before = searches().length;
  await userEvent.click(await screen.findByTestId(testIds.facetsRetry));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5", "row-next"]));
  expect(searches().slice(before)).toEqual([expect.stringContaining("cursor=n1")]);
});

it("keeps its pages after one of them failed, when the list is shown again after patterns", async () => {
  let isDown = true;
  const api = withPagesAround(
    () => false,
    () => isDown,
  );
  renderApp(`/?${RANGE}&record=fa5`);
  await userEvent.click(await screen.findByTestId(testIds.loadBefore));
  await waitFor(() => expect(below()?.textContent).toContain("No next."));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5"]));
  const searches = () => api.requests.filter((request) => request.includes("/search?"));
  const before = searches().length;
  await userEvent.click(screen.getByRole("button", { name: "Patterns" }));
  await screen.findByTestId(testIds.patterns);
  await userEvent.click(screen.getByRole("button", { name: "Logs" }));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5"]));

  isDown = false;
  await userEvent.click(within(below() as HTMLElement).getByTestId(testIds.retry));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5", "row-next"]));
  expect(searches().slice(before)).toEqual([expect.stringContaining("cursor=n1")]);
});

it("shows rows before a linked record that could not be loaded above the list, and loads them again", async () => {
  let isDown = true;
  withPagesAround(
    () => isDown,
    () => isDown,
  );
  renderApp(`/?${RANGE}&record=fa5`);
  await waitFor(() => expect(below()?.textContent).toContain("No next."));
  await userEvent.click(await screen.findByTestId(testIds.loadBefore));
  const above = () => screen.getAllByTestId(testIds.error).filter((each) => each !== below());
  await waitFor(() =>
    expect(above().map((each) => each.textContent)).toEqual([expect.stringContaining("No near.")]),
  );
  await waitFor(() => expect(below()?.textContent).toContain("No next."));
  expect(above()).toHaveLength(1);

  isDown = false;
  await userEvent.click(within(above()[0] as HTMLElement).getByTestId(testIds.retry));
  await waitFor(() => expect(ids()).toEqual(["row-near", "row-fa5", "row-next"]));
  expect(screen.queryByTestId(testIds.error)).toBeNull();
});

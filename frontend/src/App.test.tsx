// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "./testIds";
import type { FakeApi } from "./testing/fakeApi";
import { installFakeApi, problem, searchPage } from "./testing/fakeApi";
import { openStream } from "./testing/openStream";
import { prepareBrowser, renderApp } from "./testing/renderApp";
import { sampleLog } from "./testing/sampleLog";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
});

const searches = () => api.requests.filter((request) => request.includes("/logs/search"));
const rows = () => screen.findAllByTestId(testIds.resultRow);

describe("searching", () => {
  it("searches with the URL's query and order, in nanoseconds, with the tenant's key", async () => {
    let sentKey: string | null = null;
    api.on(/search$/, (_search, _path, key) => {
      sentKey = key;
      return searchPage([sampleLog()]);
    });
    renderApp("/?query=order&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00.000000001Z&order=asc");
    await rows();
    const parameters = new URLSearchParams(searches()[0]?.split("?")[1]);
    expect(Object.fromEntries(parameters)).toEqual({
      query: "order",
      start: "2026-11-21T01:00:00.000000000Z",
      end: "2026-11-21T02:00:00.000000001Z",
      order: "asc",
      limit: "100",
      plan: "auto",
    });
    expect(sentKey).toBe("demo-key");
    expect(screen.getByText("order", { selector: "mark" })).toBeTruthy();
  });

  it("loads the next page through the cursor and stops at the end", async () => {
    api.on(/search$/, (search) =>
      search.get("cursor") === "c2"
        ? searchPage([sampleLog({ id: "02", body: "second page" })])
        : searchPage([sampleLog({ id: "01" })], "c2"),
    );
    renderApp();
    await screen.findByText("second page");
    expect(searches()).toHaveLength(2);
    expect(screen.getByText("No more logs in this range")).toBeTruthy();
  });

  it("says where a query is wrong and what was expected", async () => {
    const refusal = problem(400, "invalid_query", "this ) has no ( before it", {
      position: 2,
      expected: ["AND"],
    });
    api.on(/search$|histogram$/, () => refusal);
    renderApp("/?query=a+)");
    const alert = await screen.findByTestId(testIds.error);
    expect(alert.textContent).toBe("This ) has no ( before it.At character 3.Expected AND.");
    const marked = () => screen.getByTestId(testIds.queryInput).querySelector("[class*=problem]");
    await waitFor(() => expect(marked()?.textContent).toBe(")"));
  });

  it("shows other failures in the results, and tries again", async () => {
    api.on(/search$/, () => problem(400, "query_too_expensive", "narrow the time range"));
    renderApp();
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("This query exceeded a limit");
    api.on(/search$/, () => searchPage([sampleLog()]));
    await userEvent.click(screen.getByTestId(testIds.retry));
    expect(await rows()).toHaveLength(1);
  });

  it("gives advice when nothing matches", async () => {
    const { history } = renderApp("/?query=nothing");
    const advice = within(await screen.findByTestId(testIds.empty));
    await userEvent.click(advice.getByText("Search the past 24 hours"));
    await waitFor(() => expect(history.location.search).toBe("?query=nothing&from=now-24h&to=now"));
  });
});

describe("a page that comes as windows finish", () => {
  const progress = { windows: 3, rows_read: 24_576, bytes_read: 2_000_000, elapsed_ms: 120 };

  it("shows rows and progress before its end, and the whole page then", async () => {
    const stream = openStream();
    api.on(/search$/, () => ({ body: null, lines: stream.lines }));
    renderApp();
    stream.write({ log: sampleLog({ id: "01", body: "from the first window" }) }, { progress });
    expect(await screen.findByText("from the first window")).toBeTruthy();
    expect(screen.getByTestId(testIds.searchProgress).textContent).toBe(
      "3 windows done, 24.6K rows, 2.0 MB read",
    );
    expect(screen.queryByText("No more logs in this range")).toBeNull();
    const { stats } = searchPage([]).body as { stats: object };
    stream.write(
      { log: sampleLog({ id: "02", body: "from the last" }) },
      { page: { next_cursor: null, stats, hints: [] } },
    );
    stream.close();
    expect(await screen.findByText("from the last")).toBeTruthy();
    expect(await screen.findByText("No more logs in this range")).toBeTruthy();
    expect(await rows()).toHaveLength(2);
    expect(screen.queryByTestId(testIds.searchProgress)).toBeNull();
  });

  it("keeps what was found when a next page breaks off, says why, and tries again", async () => {
    let stream = openStream();
    api.on(/search$/, (search) =>
      search.has("cursor")
        ? { body: null, lines: stream.lines }
        : searchPage([sampleLog({ id: "01", body: "first page" })], "c2"),
    );
    renderApp();
    await screen.findByText("first page");
    const error = { status: 422, code: "query_too_expensive", detail: "it reads too much" };
    stream.write({ log: sampleLog({ id: "02", body: "second page" }) }, { error });
    stream.close();
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("It reads too much.");
    expect(screen.getByText("first page")).toBeTruthy();
    expect(screen.getByText("second page")).toBeTruthy();
    stream = openStream();
    screen.getByTestId(testIds.retry).focus();
    await userEvent.keyboard("{Enter}");
    stream.write({ log: sampleLog({ id: "02", body: "after all" }) }, { progress });
    expect(await screen.findByText("after all")).toBeTruthy();
  });

  it("is given up for a new search", async () => {
    const stream = openStream();
    api.on(/search$/, (search) =>
      search.get("query") === "slow"
        ? { body: null, lines: stream.lines }
        : searchPage([sampleLog({ id: "09", body: "from the new search" })]),
    );
    const { history } = renderApp("/?query=slow");
    stream.write({ log: sampleLog({ id: "01", body: "from the old search" }) }, { progress });
    await screen.findByText("from the old search");
    history.push("/?query=quick");
    expect(await screen.findByText("from the new search")).toBeTruthy();
    expect(screen.queryByText("from the old search")).toBeNull();
    expect(stream.state.isCancelled).toBe(true);
    expect(screen.queryByTestId(testIds.searchProgress)).toBeNull();
  });
});

describe("one record", () => {
  const hostile = '<img src=x onerror="alert(1)"><script>alert(1)</script>';

  it("shows what logs contain as text, never as HTML", async () => {
    const log = sampleLog({ body: hostile, attributes: { [hostile]: hostile }, service: hostile });
    api.on(/search$/, () => searchPage([log]));
    renderApp(`/?record=${log.id}`);
    expect((await screen.findByTestId(testIds.detailBody)).textContent).toBe(hostile);
    await rows();
    expect(document.querySelector("[onerror], [src=x], body script")).toBeNull();
  });

  it("is fetched by its id when the list does not have it", async () => {
    api.on(/logs\/abc$/, () => ({
      body: sampleLog({ id: "abc", body: "far away", body_truncated_bytes: 2048 }),
    }));
    renderApp("/?record=abc");
    const panel = within(await screen.findByTestId(testIds.detail));
    expect(await panel.findByText("far away")).toBeTruthy();
    expect(panel.getByText(/2\.0 KB, was cut/)).toBeTruthy();
  });

  it.each(["tail", "search", "..", "0g"])("of a link with the id %s is not requested", async (id) => {
    renderApp(`/?record=${id}`);
    const panel = within(await screen.findByTestId(testIds.detail));
    expect(await panel.findByText(/is not the id of a record/)).toBeTruthy();
    expect(api.requests).not.toContain(new URL(`/api/v1/logs/${id}`, "http://localhost").pathname);
  });

  it("narrows the query by a value, and closes", async () => {
    const log = sampleLog({ attributes: { "http.status_code": 500 } });
    api.on(/search$/, () => searchPage([log]));
    const { history } = renderApp("/?query=a+OR+b");
    await userEvent.click((await rows())[0] ?? document.body);
    const field = within(await screen.findByRole("tree", { name: "Attributes" }));
    await userEvent.hover(field.getByTestId(testIds.fieldValue));
    await userEvent.click(field.getByTestId(testIds.filterOut));
    await waitFor(() =>
      expect(new URLSearchParams(history.location.search).get("query")).toBe(
        "(a OR b) -http.status_code:500",
      ),
    );
    await userEvent.click(screen.getByTestId(testIds.detailClose));
    await waitFor(() => expect(history.location.search).not.toContain("record"));
  });
});

describe("the records around one", () => {
  const log = sampleLog({ id: "05", service: "checkout", body: "in the middle" });
  const neighbour = (id: string) => sampleLog({ id, body: `neighbour ${id}` });

  beforeEach(() => {
    api.on(/search$/, () => searchPage([log]));
    api.on(/05\/context$/, (search) => context(search.get("same") === "service" ? [] : ["03", "04"], ["06"]));
    api.on(/03\/context$/, () => context([], []));
  });

  const context = (before: string[], after: string[]) => ({
    body: {
      before: before.map(neighbour),
      log,
      after: after.map(neighbour),
      complete_before: false,
      complete_after: true,
      searched_from: "2026-11-20T01:00:00.000000000Z",
      searched_to: "2026-11-21T01:02:03.123456789Z",
      stats: (searchPage([]).body as { stats: object }).stats,
    },
  });
  const contextRows = () => screen.findAllByTestId(testIds.contextRow);

  it("are listed oldest first with this one marked, and say where the search ended", async () => {
    renderApp("/?record=05&context=all");
    const shown = await contextRows();
    expect(shown.map((row) => row.dataset.current)).toEqual(["false", "false", "true", "false"]);
    expect(shown.map((row) => row.lastChild?.textContent)).toEqual([
      "neighbour 03",
      "neighbour 04",
      "in the middle",
      "neighbour 06",
    ]);
    const view = within(screen.getByTestId(testIds.context));
    expect(view.getByText("No later records")).toBeTruthy();
    await userEvent.click(view.getByTestId(testIds.contextEarlier));
    expect(await view.findByText(/Searched up to .*01:00:00/)).toBeTruthy();
  });

  it("can be narrowed to the record's own service, but not to a pod it does not have", async () => {
    const { history } = renderApp("/?record=05&context=pod");
    await contextRows();
    const choice = (name: string) =>
      screen.getAllByTestId(testIds.contextChoice).find((button) => button.dataset.choice === name);
    expect(choice("pod")?.hasAttribute("disabled")).toBe(true);
    expect(choice("all")?.getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(choice("service") ?? document.body);
    await waitFor(() => expect(screen.getAllByTestId(testIds.contextRow)).toHaveLength(2));
    expect(history.location.search).toContain("context=service");
  });

  it("are read again, from the middle, when they are opened again", async () => {
    const full = Array.from({ length: 10 }, (_, place) => String(10 + place));
    api.on(/context$/, (search) =>
      search.get("after") === "0" ? context(["01"], []) : context(full, ["60"]),
    );
    renderApp("/?record=05&context=all");
    await userEvent.click(await screen.findByTestId(testIds.contextEarlier));
    await waitFor(() => expect(screen.getAllByTestId(testIds.contextRow)).toHaveLength(13));
    api.on(/context$/, () => context(["04"], ["60", "61"]));
    await userEvent.click(screen.getByTestId(testIds.tabRecord));
    await waitFor(() => expect(screen.queryByTestId(testIds.context)).toBeNull());
    await userEvent.click(screen.getByTestId(testIds.tabContext));
    await waitFor(() => expect(screen.getAllByTestId(testIds.contextRow)).toHaveLength(4));
    expect(screen.getAllByTestId(testIds.contextRow).map((row) => row.dataset.current)).toEqual([
      "false",
      "true",
      "false",
      "false",
    ]);
  });

  it("stay when further ones cannot be read, and are read on a retry", async () => {
    const rows = (length: number) => Array.from({ length }, (_, place) => String(100 * length + place));
    const answers = [context(rows(10), []), context(rows(25), []), problem(500, "internal", "no answer")];
    api.on(/context$/, () => answers.shift() ?? context(["10"], []));
    renderApp("/?record=05&context=all");
    await userEvent.click(await screen.findByTestId(testIds.contextEarlier));
    await waitFor(() => expect(screen.getAllByTestId(testIds.contextRow)).toHaveLength(36));
    await userEvent.click(screen.getByTestId(testIds.contextEarlier));
    await userEvent.click(await within(screen.getByTestId(testIds.context)).findByTestId(testIds.retry));
    await waitFor(() => expect(screen.getAllByTestId(testIds.contextRow)).toHaveLength(37));
    expect(screen.getAllByTestId(testIds.contextRow).map((row) => row.dataset.current)).toContain("true");
  });

  it("open with a click", async () => {
    api.on(/logs\/03$/, () => ({ body: neighbour("03") }));
    const { history } = renderApp("/?record=05&context=all");
    await userEvent.click((await contextRows())[0] ?? document.body);
    expect((await screen.findByTestId(testIds.detailBody)).textContent).toBe("neighbour 03");
    expect(history.location.search).not.toContain("context");
  });
});

// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const column = { type: "text", unit: null, error: null };

function fakeNumbers(): FakeApi {
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/stats$/, (search) => ({
    body: {
      query: search.get("query"),
      start: "2026-11-21T00:00:00.000000000Z",
      end: "2026-11-21T01:00:00.000000000Z",
      columns: [
        { name: "service", kind: "field", ...column },
        { name: "count()", kind: "function", ...column },
      ],
      rows: [
        ["web", 3],
        [null, 1],
      ],
      other: [8],
      interval_ns: null,
      buckets: [],
      series: [],
      groups: { found: 5, shown: 2, complete: true },
      left_out: "3 of 5 groups are not shown",
      cost: { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 },
    },
  }));
  return api;
}

const requests = (api: FakeApi, end: RegExp) =>
  api.requests.filter((each) => end.test(each.split("?")[0] ?? ""));

it("shows the interval of automatic refreshes above the numbers, and changes it", async () => {
  const user = userEvent.setup();
  fakeNumbers();
  const { history } = renderApp("/?query=error&stats=count()&mode=chart&from=now-1h&to=now&refresh=10s");
  const menu = await within(await screen.findByTestId(testIds.chart)).findByTestId(testIds.autoRefresh);
  expect(menu.getAttribute("aria-label")).toBe("Automatic refresh: 10s");
  await user.click(menu);
  await user.click(screen.getByRole("menuitemradio", { name: "Off" }));
  await waitFor(() => expect(history.location.search).not.toContain("refresh"));
});

it("opens the chart for a text with stats, and shows the logs of a group", async () => {
  const user = userEvent.setup();
  const api = fakeNumbers();
  const { history } = renderApp("/?query=error&stats=count()+by+service&mode=chart");
  const chart = await screen.findByTestId(testIds.chart);
  expect(
    (await within(chart).findAllByTestId(testIds.chartGroup)).map(({ textContent }) => textContent),
  ).toEqual(["web", "no service"]);
  expect(within(chart).getByText("other")).toBeTruthy();
  expect(within(chart).getByTestId(testIds.chartNote).textContent).toBe("3 of 5 groups are not shown.");
  expect(new URLSearchParams(requests(api, /stats$/)[0]?.split("?")[1]).get("query")).toBe(
    "error | stats count() by service",
  );
  expect(requests(api, /search$/)).toEqual([]);

  await user.click(within(chart).getByRole("button", { name: "no service" }));
  await screen.findAllByTestId(testIds.resultRow);
  expect(new URLSearchParams(history.location.search).get("query")).toBe("error -service:*");
  expect(new URLSearchParams(history.location.search).get("stats")).toBe("count() by service");
});

it("opens the chart of an address whose query has the stats", async () => {
  const api = fakeNumbers();
  renderApp("/?query=error+%7C+stats+count()+by+service");
  const chart = await screen.findByTestId(testIds.chart);
  expect(await within(chart).findAllByTestId(testIds.chartGroup)).toHaveLength(2);
  expect(requests(api, /search$/)).toEqual([]);
  expect(requests(api, /histogram$/).every((each) => !each.includes("stats"))).toBe(true);
});

it("sorts the table by its headings, with the keyboard too", async () => {
  const user = userEvent.setup();
  fakeNumbers();
  renderApp("/?stats=count()+by+service&mode=chart&chart=table");
  const table = await screen.findByTestId(testIds.chartTable);
  const names = () =>
    within(table)
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.firstElementChild?.textContent);
  const heading = (name: string) => within(table).getByRole("columnheader", { name });
  expect(names()).toEqual(["web", "no service", "other"]);
  within(heading("count()")).getByRole("button").focus();
  await user.keyboard("{Enter}{Enter}");
  expect(heading("count()").getAttribute("aria-sort")).toBe("ascending");
  expect(names()).toEqual(["no service", "web", "other"]);
  await user.click(within(heading("service")).getByRole("button"));
  expect(heading("service").getAttribute("aria-sort")).toBe("ascending");
  expect(heading("count()").hasAttribute("aria-sort")).toBe(false);
  expect(names()).toEqual(["web", "no service", "other"]);
});

it("counts over time when the chart is first chosen, and returns to the logs", async () => {
  const user = userEvent.setup();
  const api = fakeNumbers();
  const { history } = renderApp("/?query=error&from=now-1h&to=now");
  await screen.findAllByTestId(testIds.resultRow);
  const mode = (name: string) => screen.getByRole("button", { name });
  expect(mode("Logs").getAttribute("aria-pressed")).toBe("true");
  await user.click(mode("Chart"));
  await screen.findByTestId(testIds.chart);
  expect(new URLSearchParams(history.location.search).get("stats")).toBe("count() by time(1m)");
  await waitFor(() => expect(requests(api, /stats$/)).toHaveLength(1));
  await user.click(mode("Logs"));
  await screen.findAllByTestId(testIds.resultRow);
  expect(history.location.search).not.toContain("mode=");
});

it("writes the form's choices into the query", async () => {
  const user = userEvent.setup();
  fakeNumbers();
  const { history } = renderApp("/?stats=count()+by+service&mode=chart");
  await user.selectOptions(await screen.findByTestId(testIds.statsFunction), "p95");
  const stats = () => new URLSearchParams(history.location.search).get("stats");
  expect(stats()).toBe("count() by service");
  await user.type(screen.getByTestId(testIds.statsField), "latency_ms{Enter}");
  await waitFor(() => expect(stats()).toBe("p95(latency_ms) by service | limit 20"));
  await user.selectOptions(screen.getByTestId(testIds.statsStep), "5m");
  await waitFor(() => expect(stats()).toBe("p95(latency_ms) by service, time(5m) | limit 5"));
});

it("leaves the query as it is when a field of the form is left without a change", async () => {
  const user = userEvent.setup();
  fakeNumbers();
  const { history } = renderApp("/?stats=count()+by+service&mode=chart");
  await user.click(await screen.findByTestId(testIds.statsBy));
  await user.tab();
  await user.selectOptions(screen.getByTestId(testIds.statsStep), "5m");
  const stats = () => new URLSearchParams(history.location.search).get("stats");
  await waitFor(() => expect(stats()).toBe("count() by service, time(5m) | limit 5"));
  history.back();
  await waitFor(() => expect(stats()).toBe("count() by service"));
});

it("offers wider time buckets where a range has too many", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/stats$/, () => problem(400, "invalid_request", "too many buckets"));
  const { history } = renderApp("/?stats=count()+by+time(1s)&mode=chart&from=now-6h&to=now");
  await user.click(await screen.findByTestId(testIds.chartFit));
  await waitFor(() =>
    expect(new URLSearchParams(history.location.search).get("stats")).toBe("count() by time(5m)"),
  );
});

it("asks for the field that a chosen function needs, and says that the chart waits for it", async () => {
  const user = userEvent.setup();
  const api = fakeNumbers();
  renderApp("/?query=error&stats=count()+by+service&mode=chart");
  await user.selectOptions(await screen.findByTestId(testIds.statsFunction), "p95");
  expect(screen.getByTestId(testIds.statsIncomplete).textContent).toContain("Enter a field.");
  await user.type(screen.getByTestId(testIds.statsField), "latency_ms{Enter}");
  expect(screen.queryByTestId(testIds.statsIncomplete)).toBeNull();
  await waitFor(() => expect(requests(api, /stats$/).at(-1)).toContain("p95"));
});

it.each([
  ["count()", "2 further groups drawn together as other: the table has their numbers."],
  ["avg(ms)", "2 further groups shown only in the table."],
])("says below a chart of %s where the groups without a colour are", async (name, note) => {
  const api = fakeNumbers();
  api.on(/stats$/, () => ({
    body: {
      query: "",
      start: "2026-11-21T00:00:00.000000000Z",
      end: "2026-11-21T01:00:00.000000000Z",
      columns: [
        { name: "service", kind: "field", ...column },
        { name, kind: "function", ...column },
      ],
      rows: [],
      other: null,
      interval_ns: 3_600_000_000_000,
      buckets: ["2026-11-21T00:00:00.000000000Z"],
      series: ["a", "b", "c", "d", "e", "f", "g"].map((group) => ({
        kind: "group",
        group: [group],
        values: [[1]],
      })),
      groups: { found: 7, shown: 7, complete: true },
      left_out: null,
      cost: { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 },
    },
  }));
  renderApp("/?query=error&stats=count()+by+service,time(1h)&mode=chart");
  expect((await screen.findByTestId(testIds.chartNote)).textContent).toBe(note);
});

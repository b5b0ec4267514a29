// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const VIEW_ID = "bbbbbbbbbbbb";
const COST = { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 };
const column = { type: "text", unit: null, error: null };
const panel = (view: string) => ({ view, title: "", width: 1, height: 1 });
const SHOP = {
  id: "0123456789ab",
  revision: 7,
  name: "Shop",
  start: "now-6h",
  end: "now",
  refresh_seconds: 60,
  panels: [panel("aaaaaaaaaaaa")],
};

/** Serves one dashboard and one view, and stores what is sent. */
function fakeShop(): FakeApi {
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/stats$/, (search) => ({
    body: {
      query: search.get("query"),
      columns: [
        { name: "service", kind: "field", ...column },
        { name: "count()", kind: "function", ...column },
      ],
      rows: [["web", 3]],
      other: null,
      interval_ns: null,
      buckets: [],
      series: [],
      groups: { found: 1, shown: 1, complete: true },
      left_out: null,
      cost: COST,
    },
  }));
  api.on(/views$/, () => ({
    body: { views: [{ id: "aaaaaaaaaaaa", name: "count() by service: error", folder: "" }] },
  }));
  api.on(/dashboards$/, () => ({ body: { dashboards: [SHOP] } }));
  api.on(/dashboards\/\w+$/, () => ({ body: { ...SHOP, views: [] } }));
  return api;
}

/** Answers requests with a body: a new view gets an id, and a dashboard comes back as it was sent. */
function storeSent(api: FakeApi): { readonly views: object[]; readonly dashboards: object[] } {
  const stored = { views: [] as object[], dashboards: [] as object[] };
  const sent = async () => {
    const request = api.sent.at(-1);
    return request?.method === "GET" ? null : ((await request?.clone().json()) as object);
  };
  api.on(/views$/, async () => {
    const body = await sent();
    if (body !== null) stored.views.push(body);
    const views = stored.views.map((view) => ({ ...view, id: VIEW_ID, folder: "" }));
    return { body: body === null ? { views } : { ...body, id: VIEW_ID } };
  });
  api.on(/dashboards(\/\w+)?$/, async (_, path) => {
    const body = await sent();
    if (body === null) return { body: path.endsWith("dashboards") ? { dashboards: [SHOP] } : SHOP };
    stored.dashboards.push(body);
    return { body: { ...body, id: "dddddddddddd" } };
  });
  return stored;
}

it("adds a chart of numbers to a dashboard in two clicks", async () => {
  const user = userEvent.setup();
  const stored = storeSent(fakeShop());
  renderApp("/?query=error&stats=count()+by+service+|+limit+20&mode=chart&from=now-1h&to=now");
  const chart = await screen.findByTestId(testIds.chart);
  await user.click(await within(chart).findByTestId(testIds.addToDashboard));
  await user.click(await screen.findByTestId(testIds.dashboardChoice));
  const added = await screen.findByTestId(testIds.panelAdded);
  expect(within(added).getByRole("link").getAttribute("href")).toContain("dddddddddddd");
  expect(stored.views).toMatchObject([
    { name: "count() by service: error", query: "error | stats count() by service | limit 20" },
  ]);
  expect(stored.dashboards).toMatchObject([
    { revision: 7, name: "Shop", start: "now-6h", panels: [...SHOP.panels, panel(VIEW_ID)] },
  ]);
});

it("adds the histogram to a new dashboard in two clicks, as bars over time", async () => {
  const user = userEvent.setup();
  const stored = storeSent(fakeShop());
  renderApp("/?query=error&from=now-1h&to=now");
  const histogram = await screen.findByTestId(testIds.histogram);
  await user.click(await within(histogram).findByTestId(testIds.addToDashboard));
  await user.click(await screen.findByTestId(testIds.dashboardSubmit));
  await screen.findByTestId(testIds.panelAdded);
  expect(stored.views).toMatchObject([
    { query: "error | stats count() by severity, time(1m) | limit 5", chart_kind: "bars" },
  ]);
  expect(stored.dashboards).toMatchObject([
    { name: "Dashboard", start: "now-1h", end: "now", panels: [panel(VIEW_ID)] },
  ]);
});

it("saves no second view when the dashboard is saved at the second attempt", async () => {
  const user = userEvent.setup();
  const api = fakeShop();
  const stored = storeSent(api);
  const saved: (typeof SHOP)[] = [];
  const route = async (_: URLSearchParams, path: string) => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT")
      return { body: path.endsWith("dashboards") ? { dashboards: [SHOP] } : SHOP };
    saved.push((await request.clone().json()) as typeof SHOP);
    return saved.length > 1
      ? { body: SHOP }
      : problem(409, "revision_conflict", "another user changed the dashboard");
  };
  api.on(/dashboards(\/\w+)?$/, route);
  renderApp("/?query=error&stats=count()+by+service&mode=chart");
  const chart = await screen.findByTestId(testIds.chart);
  await user.click(await within(chart).findByTestId(testIds.addToDashboard));
  await user.click(await screen.findByTestId(testIds.dashboardChoice));
  await screen.findByText("Another user changed the dashboard.");
  await user.click(screen.getByTestId(testIds.dashboardChoice));
  await screen.findByTestId(testIds.panelAdded);
  await waitFor(() => expect(stored.views).toHaveLength(1));
  expect(saved.at(-1)?.panels.at(-1)).toEqual(panel(VIEW_ID));
});

it("stays open while the panel is being added, because another attempt would add a second one", async () => {
  const user = userEvent.setup();
  const api = fakeShop();
  const stored = storeSent(api);
  const { isHeld, release } = held();
  api.on(/dashboards\/\w+$/, async () => {
    if (api.sent.at(-1)?.method === "PUT") await isHeld;
    return { body: SHOP };
  });
  renderApp("/?query=error&stats=count()+by+service&mode=chart");
  const chart = await screen.findByTestId(testIds.chart);
  await user.click(await within(chart).findByTestId(testIds.addToDashboard));
  await user.click(await screen.findByTestId(testIds.dashboardChoice));
  await waitFor(() => expect(stored.views).toHaveLength(1));
  await user.keyboard("{Escape}");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Cancel" }).disabled).toBe(true);
  release();
  await screen.findByTestId(testIds.panelAdded);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId(testIds.panelAdded)).toBeNull());
});

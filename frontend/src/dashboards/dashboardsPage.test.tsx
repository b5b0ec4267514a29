// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, problem } from "../testing/fakeApi";
import {
  DASHBOARD_ID,
  fakeDashboard,
  NUMBERS,
  panel,
  sampleDashboard,
  VIEWS,
} from "../testing/fakeDashboard";
import { held } from "../testing/held";
import { leaveDashboard } from "../testing/leaveDashboard";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { stubIntersectionObserver } from "../testing/stubIntersectionObserver";

prepareBrowser();

/** Makes the panels at these places visible or invisible, as scrolling does. */
let scroll: (isShown: (place: number) => boolean) => void;

beforeEach(() => {
  const watched: [Element, (isIntersecting: boolean) => void][] = [];
  stubIntersectionObserver((element, report) => watched.push([element, report]));
  scroll = (isShown) =>
    act(() => {
      const panels = screen.getAllByTestId(testIds.panel);
      for (const [element, show] of watched) show(isShown(panels.indexOf(element as HTMLElement)));
    });
});

const reads = (api: FakeApi) =>
  api.requests
    .map((each) => new URL(each, "http://logs.example"))
    .filter(({ pathname }) => /search$|stats$/.test(pathname));
const titles = () =>
  screen.getAllByTestId(testIds.panel).map((each) => within(each).getByRole("heading").textContent);

it("reads the panels that are on the screen, over the dashboard's range", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const { history } = renderApp("/dashboards");
  await user.click(await screen.findByRole("link", { name: "Shop" }));
  await screen.findAllByTestId(testIds.panel);
  expect(history.location.pathname).toBe(`/dashboards/${DASHBOARD_ID}`);
  expect(history.location.search).toBe("");
  expect(titles()).toEqual(["Timeouts", "Failed", "Deleted view"]);
  expect(screen.getByText(/The view of this panel was deleted/)).toBeTruthy();
  expect(reads(api)).toEqual([]);

  scroll((place) => place === 0);
  await screen.findByTestId(testIds.panelLog);
  const [first] = reads(api);
  expect(first?.searchParams.get("query")).toBe("timeout");
  const [start, end] = ["start", "end"].map((name) => Date.parse(first?.searchParams.get(name) ?? ""));
  expect((end ?? 0) - (start ?? 0)).toBe(6 * 3_600_000);
  expect(reads(api)).toHaveLength(1);

  scroll(() => true);
  const failed = screen.getAllByTestId(testIds.panel)[1] as HTMLElement;
  expect(await within(failed).findByText("This query exceeded a limit")).toBeTruthy();
  expect(reads(api).map(({ pathname }) => pathname.split("/").at(-1))).toEqual(["search", "stats"]);

  scroll((place) => place === 0);
  await user.click(screen.getByTestId(testIds.refresh));
  await waitFor(() => expect(reads(api)).toHaveLength(3));
  expect(reads(api).at(-1)?.pathname).toMatch(/search$/);
});

it("keeps panels that are added while the view of another one is read", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard([]);
  const { isHeld: isAnswered, release: answer } = held();
  api.on(/views$/, () => ({ body: { views: VIEWS } }));
  api.on(/views\/\w+$/, async (_, path) => {
    await isAnswered;
    return { body: VIEWS.find(({ id }) => path.endsWith(id)) };
  });
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByRole("button", { name: "Add panels" }));
  for (const name of ["Timeouts", "Errors"]) {
    await user.click(screen.getByTestId(testIds.panelAdd));
    await user.click(await screen.findByRole("menuitem", { name }));
  }
  answer();
  await waitFor(() => expect(titles()).toEqual(["Timeouts", "Errors"]));
});

it("draws each function of a view that has several", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard([panel(NUMBERS)]);
  const column = { type: "number", error: null };
  api.on(/dashboards\/\w+$/, () => ({
    body: {
      ...sampleDashboard({ panels: [panel(NUMBERS)] }),
      views: [{ ...VIEWS[1], chart_kind: "top", query: "error | stats count(), p95(ms) by service" }],
    },
  }));
  api.on(/stats$/, () => ({
    body: {
      query: "",
      start: "2026-11-21T00:00:00.000000000Z",
      end: "2026-11-21T01:00:00.000000000Z",
      columns: [
        { name: "service", kind: "field", ...column, unit: null },
        { name: "count()", kind: "function", ...column, unit: "records" },
        { name: "p95(ms)", kind: "function", ...column, unit: null },
      ],
      rows: [["web", 3, 41.5]],
      other: null,
      interval_ns: null,
      buckets: [],
      series: [],
      groups: { found: 1, shown: 1, complete: true },
      left_out: null,
      cost: { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 },
    },
  }));
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await screen.findAllByTestId(testIds.panel);
  scroll(() => true);
  const choices = await screen.findAllByTestId(testIds.chartFunction);
  expect(choices.map(({ textContent }) => textContent)).toEqual(["count() (records)", "p95(ms)"]);
  expect(screen.getByText("3")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "p95(ms)" }));
  expect(screen.getByText("41.5")).toBeTruthy();
  expect(screen.queryByText("3")).toBeNull();
});

it("shows the range of its address instead of its own", async () => {
  const user = userEvent.setup();
  fakeDashboard();
  const { history } = renderApp(`/dashboards/${DASHBOARD_ID}?from=now-7d&to=now-1d`);
  expect((await screen.findByTestId(testIds.timeRange)).textContent).toContain("–");
  expect(screen.getByTestId(testIds.autoRefresh)).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("link", { name: "Timeouts" }));
  const search = new URLSearchParams(history.location.search);
  expect([search.get("query"), search.get("from"), search.get("to")]).toEqual([
    "timeout",
    "now-7d",
    "now-1d",
  ]);
});

it("moves panels by buttons that keep the focus, and removes them", async () => {
  const user = userEvent.setup();
  fakeDashboard();
  const { history } = renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  const after = screen.getByRole("button", { name: "Move Timeouts to the place after" });
  after.focus();
  await user.keyboard("{Enter}");
  expect(titles()).toEqual(["Failed", "Timeouts", "Deleted view"]);
  expect(screen.getByText("Timeouts: place 2 of 3")).toBeTruthy();
  expect(document.activeElement).toBe(after);
  await user.keyboard("{Enter}{Enter}");
  expect(titles()).toEqual(["Failed", "Deleted view", "Timeouts"]);
  expect(document.activeElement).toBe(after);
  await user.click(screen.getByRole("button", { name: "Remove Deleted view from the dashboard" }));
  expect(titles()).toEqual(["Failed", "Timeouts"]);
  await user.click(screen.getByRole("link", { name: "All dashboards" }));
  await user.click(await screen.findByRole("button", { name: "Keep editing" }));
  expect(history.location.pathname).toBe(`/dashboards/${DASHBOARD_ID}`);
  await user.click(screen.getByTestId(testIds.dashboardCancel));
  expect(titles()).toEqual(["Timeouts", "Failed", "Deleted view"]);
  await user.click(screen.getByRole("link", { name: "All dashboards" }));
  await screen.findByTestId(testIds.dashboardRow);
});

it("says that a dashboard was deleted instead of showing it as it was", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const history = await leaveDashboard();
  api.on(/dashboards\/\w+$/, () => problem(404, "not_found", "there is no dashboard 0123456789ab"));
  history.push(`/dashboards/${DASHBOARD_ID}`);
  expect((await screen.findByRole("alert")).textContent).toBe("There is no dashboard 0123456789ab.");
  expect(screen.queryByTestId(testIds.panel)).toBeNull();
  expect(screen.queryByRole("heading", { name: "Shop" })).toBeNull();

  api.on(/dashboards\/\w+$/, () => ({ body: { ...sampleDashboard(), views: VIEWS } }));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("heading", { name: "Shop" });
});

it("keeps an edited dashboard that was deleted meanwhile, and says so", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const history = await leaveDashboard();
  const { isHeld, release } = held();
  api.on(/dashboards\/\w+$/, async () => {
    await isHeld;
    return problem(404, "not_found", "there is no dashboard 0123456789ab");
  });
  history.push(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  release();
  await screen.findByText("There is no dashboard 0123456789ab.");
  expect(titles()).toEqual(["Timeouts", "Failed", "Deleted view"]);
  await user.click(screen.getByTestId(testIds.dashboardCancel));
  expect(screen.queryByTestId(testIds.panel)).toBeNull();
});

it("shows why a dashboard could not be read again, above its panels", async () => {
  const api = fakeDashboard();
  const history = await leaveDashboard();
  api.on(/dashboards\/\w+$/, () => problem(500, "internal", "the dashboard could not be read"));
  history.push(`/dashboards/${DASHBOARD_ID}`);
  await screen.findByText("The dashboard could not be read.");
  expect(titles()).toEqual(["Timeouts", "Failed", "Deleted view"]);
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { refreshUntil } from "../testing/autoRefresh";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { DASHBOARD_ID, fakeDashboard, LOGS, panel } from "../testing/fakeDashboard";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { stubIntersectionObserver } from "../testing/stubIntersectionObserver";

prepareBrowser();

const RANGE = "from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z";

it("shows what the last refresh of a fixed range found after another page was open", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  let found = "in time";
  api.on(/search$/, () => searchPage([sampleLog({ body: found })]));
  const { history } = renderApp(`/?query=a&${RANGE}`);
  await screen.findByText("in time");
  found = "too late";
  await user.click(screen.getByTestId(testIds.refresh));
  await screen.findByText("too late");
  const searches = () => api.requests.filter((request) => request.includes("/search?")).length;
  expect(searches()).toBe(2);

  history.push("/settings");
  await screen.findByTestId(testIds.settings);
  history.back();
  await screen.findByText("too late");
  expect(screen.queryByText("in time")).toBeNull();
  expect(searches()).toBe(2);
});

it("shows what the last refresh of a dashboard with a fixed range found after another page was open", async () => {
  stubIntersectionObserver((_, report) => report(true));
  const user = userEvent.setup();
  const api = fakeDashboard([panel(LOGS)]);
  let found = "in time";
  api.on(/search$/, () => searchPage([sampleLog({ body: found })]));
  const { history } = renderApp(`/dashboards/${DASHBOARD_ID}?${RANGE}`);
  await screen.findByText("in time");
  found = "too late";
  await user.click(screen.getByTestId(testIds.refresh));
  await screen.findByText("too late");

  history.push("/settings");
  await screen.findByTestId(testIds.settings);
  history.back();
  await waitFor(() => expect(screen.getByTestId(testIds.panelLog).textContent).toContain("too late"));
});

it("leaves the open record as it is when an automatic refresh moves it off the first page", async () => {
  const started = vi.spyOn(globalThis, "setInterval");
  const api = installFakeApi();
  let found = sampleLog({ id: "01", body: "opened" });
  api.on(/search$/, () => searchPage([found]));
  renderApp("/?from=now-1h&to=now&refresh=10s");
  await userEvent.click(await screen.findByText("opened"));
  const body = await screen.findByTestId(testIds.detailBody);
  found = sampleLog({ id: "02", body: "newer" });
  await refreshUntil(started, 10_000, () => screen.queryByText("newer") !== null);
  expect(screen.queryByTestId(testIds.detailBody)).toBe(body);
  expect(body.textContent).toBe("opened");
  expect(api.requests.filter((request) => request.includes("/logs/01"))).toEqual([]);
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { problem } from "../testing/fakeApi";
import { DASHBOARD_ID, fakeDashboard, LOGS, panel, sampleDashboard, VIEWS } from "../testing/fakeDashboard";
import { held } from "../testing/held";
import { leaveDashboard } from "../testing/leaveDashboard";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { stubIntersectionObserver } from "../testing/stubIntersectionObserver";

prepareBrowser();

const CHANGED = {
  ...sampleDashboard({ name: "Changed by a colleague", revision: 2, panels: [] }),
  views: [],
};

beforeEach(() => stubIntersectionObserver());

it("replaces only the revision that was edited, until it has reported another change", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const history = await leaveDashboard();

  const revisions: number[] = [];
  const { isHeld, release } = held();
  api.on(/dashboards\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") {
      await isHeld;
      return { body: CHANGED };
    }
    const { revision } = (await request.json()) as { revision: number };
    revisions.push(revision);
    return revision === 2
      ? { body: CHANGED }
      : problem(409, "revision_conflict", "read the dashboard again, then repeat your change");
  });
  history.push(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  release();
  await screen.findByRole("heading", { name: "Changed by a colleague" });

  await user.click(screen.getByTestId(testIds.dashboardSave));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This dashboard was changed meanwhile, by another user or in another tab. Save again to replace that change, or cancel to keep it.",
  );
  await user.click(screen.getByTestId(testIds.dashboardSave));
  await screen.findByTestId(testIds.dashboardEdit);
  expect(revisions).toEqual([1, 2]);
});

it("reports a change by another user before it deletes the dashboard", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const deleted: (string | null)[] = [];
  api.on(/dashboards\/\w+$/, (search) => {
    if (api.sent.at(-1)?.method !== "DELETE") return { body: deleted.length === 0 ? SHOWN : CHANGED };
    deleted.push(search.get("revision"));
    return deleted.length === 1 ? problem(409, "revision_conflict", "read it again") : { body: null };
  });
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  await user.click(screen.getByTestId(testIds.dashboardDelete));
  await user.click(screen.getByTestId(testIds.dashboardDeleteConfirm));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This dashboard was changed meanwhile, by another user or in another tab. Delete again to delete it anyway.",
  );
  await user.click(screen.getByTestId(testIds.dashboardDeleteConfirm));
  await screen.findByTestId(testIds.dashboardNew);
  expect(deleted).toEqual(["1", "2"]);
});

it("keeps the edits of another dashboard when a dashboard is deleted late", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const { isHeld, release } = held();
  let isDeleted = false;
  api.on(/dashboards\/\w+$/, async (_, path) => {
    if (api.sent.at(-1)?.method === "DELETE") {
      await isHeld;
      isDeleted = true;
      return { body: null };
    }
    const name = isDeleted ? "Read again" : (path.split("/").at(-1) ?? "");
    return { body: { ...SHOWN, name } };
  });
  const { history } = renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  await user.click(screen.getByTestId(testIds.dashboardDelete));
  await user.click(screen.getByTestId(testIds.dashboardDeleteConfirm));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("DELETE"));
  history.push("/dashboards/dddddddddddd");
  await screen.findByRole("heading", { name: "dddddddddddd" });
  await user.click(screen.getByTestId(testIds.dashboardEdit));
  await user.type(screen.getByTestId(testIds.dashboardName), " of May");

  release();
  await screen.findByRole("heading", { name: "Read again" });
  expect(screen.getByTestId<HTMLInputElement>(testIds.dashboardName).value).toBe("dddddddddddd of May");
});

const SHOWN = { ...sampleDashboard(), views: VIEWS };

it("shows the saved dashboard, even if it cannot be read again", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard([panel(LOGS)]);
  let isSaved = false;
  api.on(/views$/, () => ({ body: { views: VIEWS } }));
  api.on(/views\/\w+$/, (_, path) => ({ body: VIEWS.find(({ id }) => path.endsWith(id)) }));
  api.on(/dashboards\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") {
      // The first panel shows logs; no view of the second one has been stored with the dashboard yet.
      return isSaved
        ? problem(500, "internal", "the dashboard could not be read")
        : { body: { ...sampleDashboard(), views: VIEWS.slice(0, 1) } };
    }
    isSaved = true;
    const members = (await request.json()) as object;
    return { body: { ...sampleDashboard(), ...members, revision: 2 } };
  });
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  await user.type(screen.getByTestId(testIds.dashboardName), " of May");
  await user.click(screen.getByTestId(testIds.panelAdd));
  await user.click(await screen.findByRole("menuitem", { name: "Errors" }));
  await waitFor(() => expect(screen.getAllByTestId(testIds.panel)).toHaveLength(2));
  await user.click(screen.getByTestId(testIds.dashboardSave));
  await screen.findByText("The dashboard could not be read.");
  await screen.findByRole("heading", { name: "Shop of May" });
  expect(screen.queryByTestId(testIds.dashboardSave)).toBeNull();
  expect(screen.getByRole("link", { name: "Timeouts" })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Errors" })).toBeTruthy();
  expect(screen.getAllByTestId(testIds.panel)).toHaveLength(2);
});

it("keeps changes that are made while the dashboard is saved", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  let stored = sampleDashboard();
  const sent: (typeof stored)[] = [];
  const { isHeld, release } = held();
  api.on(/dashboards\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") return { body: { ...stored, views: VIEWS } };
    const members = (await request.json()) as typeof stored;
    sent.push(members);
    await isHeld;
    stored = { ...stored, ...members, revision: members.revision + 1 };
    return { body: stored };
  });
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  const title = () => screen.getByTestId<HTMLInputElement>(testIds.panelTitle);
  await user.type(title(), "First");
  await user.click(screen.getByTestId(testIds.dashboardSave));
  await waitFor(() => expect(sent).toHaveLength(1));
  await user.type(title(), " and second");
  release();
  await waitFor(() => expect(screen.getByTestId(testIds.dashboardSave)).toHaveProperty("disabled", false));
  expect(title().value).toBe("First and second");

  await user.click(screen.getByTestId(testIds.dashboardSave));
  await screen.findByTestId(testIds.dashboardEdit);
  expect(sent.map(({ revision }) => revision)).toEqual([1, 2]);
  expect(sent.map(({ panels }) => panels[0]?.title)).toEqual(["First", "First and second"]);
});

it("asks no more whether to leave when the changes have been saved meanwhile", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard();
  const history = await leaveDashboard();
  history.push(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  await user.type(screen.getByTestId(testIds.dashboardName), " 2");
  const { isHeld, release } = held();
  api.on(/dashboards\/\w+$/, async () => {
    await isHeld;
    return { body: { ...sampleDashboard({ name: "Shop 2", revision: 2 }), views: VIEWS } };
  });
  await user.click(screen.getByTestId(testIds.dashboardSave));
  await user.click(screen.getByRole("link", { name: "All dashboards" }));
  await screen.findByTestId(testIds.dashboardDiscard);
  release();
  await waitFor(() => expect(screen.queryByTestId(testIds.dashboardDiscard)).toBeNull());
  await screen.findByRole("heading", { name: "Shop 2" });
  expect(history.location.pathname).toBe(`/dashboards/${DASHBOARD_ID}`);
});

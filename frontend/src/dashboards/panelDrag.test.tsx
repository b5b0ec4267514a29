// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { DASHBOARD_ID, fakeDashboard, panel, sampleDashboard, VIEWS } from "../testing/fakeDashboard";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { stubIntersectionObserver } from "../testing/stubIntersectionObserver";

prepareBrowser();

const PANELS = VIEWS.map(({ id }) => panel(id));

beforeEach(() => stubIntersectionObserver());

const panels = () => screen.getAllByTestId(testIds.panel);
const titles = () => panels().map((each) => within(each).getByRole("heading").textContent);

/** Drags the first panel over the second one. Returns the function that drops it. */
function dragFirstOverSecond(): () => void {
  document.elementFromPoint = () => panels()[1] ?? null;
  const pointer = { pointerId: 1, button: 0, clientX: 5, clientY: 5 };
  fireEvent.pointerDown(screen.getAllByTitle("Drag to move")[0] as HTMLElement, pointer);
  fireEvent.pointerMove(window, pointer);
  return () => fireEvent.pointerUp(window, pointer);
}

it("keeps a panel that is added while another one is dragged", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard(PANELS);
  const { isHeld, release } = held();
  api.on(/views$/, () => ({ body: { views: VIEWS } }));
  api.on(/views\/\w+$/, async (_, path) => {
    await isHeld;
    return { body: VIEWS.find(({ id }) => path.endsWith(id)) };
  });
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  await user.click(screen.getByTestId(testIds.panelAdd));
  await user.click(await screen.findByRole("menuitem", { name: "Errors" }));
  const drop = dragFirstOverSecond();
  release();
  await waitFor(() => expect(titles()).toEqual(["Timeouts", "Errors", "Errors"]));
  drop();
  expect(titles()).toEqual(["Errors", "Timeouts", "Errors"]);
});

it("ends a drag when the dashboard has been saved", async () => {
  const user = userEvent.setup();
  const api = fakeDashboard(PANELS);
  const { isHeld, release } = held();
  renderApp(`/dashboards/${DASHBOARD_ID}`);
  await user.click(await screen.findByTestId(testIds.dashboardEdit));
  api.on(/dashboards\/\w+$/, async () => {
    await isHeld;
    const stored = sampleDashboard({ revision: 2, panels: PANELS });
    return { body: { ...stored, views: VIEWS } };
  });
  await user.click(screen.getByTestId(testIds.dashboardSave));
  const drop = dragFirstOverSecond();
  const grid = panels()[0]?.parentElement;
  expect(grid?.dataset.dragging).toBe("true");
  release();
  await screen.findByTestId(testIds.dashboardEdit);
  expect(grid?.dataset.dragging).toBe("false");
  drop();
  expect(titles()).toEqual(["Timeouts", "Errors"]);
  expect(screen.queryByTestId(testIds.dashboardSave)).toBeNull();
});

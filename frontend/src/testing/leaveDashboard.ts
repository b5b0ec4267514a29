import { screen } from "@testing-library/react";
import { testIds } from "../testIds";
import { DASHBOARD_ID } from "./fakeDashboard";
import { renderApp } from "./renderApp";

/** Opens the dashboard of the fake API, then the list of dashboards. Returns the history of the page. */
export async function leaveDashboard() {
  const { history } = renderApp(`/dashboards/${DASHBOARD_ID}`);
  await screen.findAllByTestId(testIds.panel);
  history.push("/dashboards");
  await screen.findByTestId(testIds.dashboardRow);
  return history;
}

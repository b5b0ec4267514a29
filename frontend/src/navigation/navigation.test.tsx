// @vitest-environment jsdom
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

const link = (name: string) => within(screen.getByTestId(testIds.navigation)).getByRole("link", { name });
const current = () =>
  within(screen.getByTestId(testIds.navigation))
    .getAllByRole("link")
    .filter((each) => each.getAttribute("aria-current") === "page")
    .map((each) => each.textContent);

it("names the page that is shown, and leads back to the search as it was left", async () => {
  const user = userEvent.setup();
  installFakeApi();
  const { history } = renderApp("/?query=error&from=now-6h&to=now");
  await screen.findByTestId(testIds.empty);
  expect(current()).toEqual(["Search"]);

  await user.click(link("Settings"));
  await screen.findByTestId(testIds.settings);
  expect(history.location.pathname).toBe("/settings");
  expect(current()).toEqual(["Settings"]);
  expect(document.title).toBe("Settings · Logsieve");

  await user.click(link("Get started"));
  await screen.findByTestId(testIds.getStarted);
  expect(current()).toEqual(["Get started"]);

  await user.click(link("Search"));
  await screen.findByTestId(testIds.empty);
  expect(history.location.search).toBe("?query=error&from=now-6h&to=now");
});

it("comes after the skip link, which leads to the page", async () => {
  const user = userEvent.setup();
  installFakeApi();
  renderApp("/settings/limits");
  await screen.findByTestId(testIds.settings);
  await user.tab();
  expect(document.activeElement?.textContent).toBe("Skip to the page");
  await user.tab();
  expect(document.activeElement).toBe(link("Search"));
  screen.getByTestId(testIds.skip).focus();
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const list = () => screen.getByRole("grid", { name: "Logs" });

it.each([
  ["has no rows", () => installFakeApi()],
  [
    "has failed",
    () => installFakeApi().on(/search$/, () => problem(503, "unavailable", "ClickHouse is away")),
  ],
])("closes an open record by Escape although the list %s", async (_, install) => {
  const user = userEvent.setup();
  install();
  const { history } = renderApp("/?query=none&record=0a");
  await screen.findByTestId(testIds.detail);
  await waitFor(() => expect(screen.queryByTestId(testIds.cancel)).toBeNull());
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId(testIds.detail)).toBeNull());
  expect(history.location.search).not.toContain("record");
});

it("closes an open record by Escape although the live tail has no rows", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/tail$/, () => ({ body: null, lines: openStream().lines }));
  renderApp("/?tail=1&record=0a");
  await screen.findByTestId(testIds.detail);
  await screen.findByTestId(testIds.tail);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId(testIds.detail)).toBeNull());
});

it("reaches the results by the first Tab stop, opens a record and comes back, without a pointer", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog({ id: "01" }), sampleLog({ id: "02", body: "the second" })]));
  const { history } = renderApp();
  await screen.findAllByTestId(testIds.resultRow);

  await user.tab();
  expect(document.activeElement).toBe(screen.getByTestId(testIds.skip));
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(list());

  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  const panel = await screen.findByTestId(testIds.detail);
  expect(history.location.search).toContain("record=02");
  await waitFor(() => expect(panel.contains(document.activeElement)).toBe(true));
  await user.tab();
  expect(panel.contains(document.activeElement)).toBe(true);

  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByTestId(testIds.detail)).toBeNull());
  expect(document.activeElement).toBe(list());
});

it.each([
  ["j", "01", "02"],
  ["k", "02", "01"],
])("opens the first or the last record by %s, and then its neighbour", async (key, first, second) => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog({ id: "01" }), sampleLog({ id: "02" })]));
  const { history } = renderApp();
  await screen.findAllByTestId(testIds.resultRow);
  await user.keyboard(key);
  await screen.findByTestId(testIds.detail);
  expect(history.location.search).toContain(`record=${first}`);
  await user.keyboard(key);
  await waitFor(() => expect(history.location.search).toContain(`record=${second}`));
});

it("moves from the query to the results by Escape, and closes no record", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog({ id: "01" })]));
  renderApp("/?record=01");
  await screen.findByTestId(testIds.detail);
  screen.getByTestId(testIds.queryInput).focus();
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(list());
  expect(screen.getByTestId(testIds.detail)).toBeTruthy();
});

it("leads to the reason where there are no results", async () => {
  const user = userEvent.setup();
  installFakeApi();
  renderApp("/?query=nothing");
  await screen.findByTestId(testIds.empty);
  await user.tab();
  await user.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

it("opens a record under the pointer without taking the focus from the list", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog({ id: "01" })]));
  renderApp();
  await user.click((await screen.findAllByTestId(testIds.resultRow))[0] as HTMLElement);
  const panel = await screen.findByTestId(testIds.detail);
  expect(panel.contains(document.activeElement)).toBe(false);
});

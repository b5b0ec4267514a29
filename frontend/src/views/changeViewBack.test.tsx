// @vitest-environment jsdom
import { createBrowserHistory } from "@tanstack/react-router";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const VIEW = {
  id: "0123456789ab",
  name: "Errors",
  folder: "",
  is_default: false,
  revision: 1,
  query: "error",
  start: "now-1h",
  end: "now",
  order: "desc",
  columns: [],
  chart_by: null,
  chart_kind: null,
};

const SAVED = { ...VIEW, id: "ffffffffffff", name: "Errors of May" };

let history: ReturnType<typeof createBrowserHistory>;

beforeEach(() => {
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/views$/, () =>
    api.sent.at(-1)?.method === "POST" ? { status: 201, body: SAVED } : { body: { views: [VIEW] } },
  );
  api.on(/views\/\w+$/, (_search, path) => ({ body: path.endsWith(SAVED.id) ? SAVED : VIEW }));
});

afterEach(() => {
  history.destroy();
  window.history.replaceState(null, "", "/");
});

const name = () => screen.queryByTestId<HTMLInputElement>(testIds.viewName);

/** Searches, opens a saved view, and opens the dialog behind an item of the menu of views. */
async function openDialog(item: string) {
  const user = userEvent.setup();
  window.history.replaceState(null, "", "/?query=refund&from=now-1h&to=now");
  history = createBrowserHistory();
  renderApp("", history);
  await user.click(await screen.findByTestId(testIds.views));
  await user.click(await screen.findByTestId(testIds.viewItem));
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errors"));
  await user.click(screen.getByTestId(testIds.views));
  await user.click(await screen.findByTestId(item));
  await screen.findByTestId(testIds.viewName);
  return user;
}

it("asks before Back to another search discards a name that was edited", async () => {
  const user = await openDialog(testIds.viewSave);
  await user.type(screen.getByTestId(testIds.viewName), " of May");
  history.back();
  await screen.findByTestId(testIds.dialogDiscard);
  await user.click(screen.getByRole("button", { name: "Keep editing" }));
  await waitFor(() => expect(window.location.search).toContain(VIEW.id));
  expect(name()?.value).toBe("Errors of May");

  history.back();
  await user.click(await screen.findByTestId(testIds.dialogDiscard));
  await waitFor(() => expect(window.location.search).toContain("query=refund"));
  expect(name()).toBeNull();
});

it("opens the saved view without a question", async () => {
  const user = await openDialog(testIds.viewSaveNew);
  await user.type(screen.getByTestId(testIds.viewName), "Errors of May");
  await user.click(screen.getByTestId(testIds.viewSubmit));
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errors of May"));
  expect(name()).toBeNull();
  expect(screen.queryByTestId(testIds.dialogDiscard)).toBeNull();
});

// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const LISTED = ["timeout", "refused"].map((name, index) => ({
  id: `${index}`.repeat(12),
  name,
  folder: "",
  is_default: false,
  revision: 1,
}));
const SEARCH = { start: "now-1h", end: "now", order: "desc", columns: [], chart_by: null, chart_kind: null };

let api: FakeApi;
/** Lets the API answer with the view of this name, whose query is its name. */
let answer: (name: string) => void;
beforeEach(() => {
  api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/views$/, () => ({ body: { views: LISTED } }));
  const answers = new Map<string, () => void>();
  answer = (name) => answers.get(name)?.();
  for (const listed of LISTED) {
    const isAnswered = new Promise<void>((resolve) => {
      answers.set(listed.name, resolve);
    });
    api.on(new RegExp(`views/${listed.id}$`), async () => {
      await isAnswered;
      return { body: { ...listed, ...SEARCH, query: listed.name } };
    });
  }
});

async function choose(name: string): Promise<void> {
  const user = userEvent.setup();
  await user.click(await screen.findByTestId(testIds.views));
  await user.click(await screen.findByRole("menuitem", { name }));
}

it("opens no view for a user who has gone to another page meanwhile", async () => {
  const user = userEvent.setup();
  const { history } = renderApp("/?query=refund");
  await choose("timeout");
  const link = (name: string) => within(screen.getByTestId(testIds.navigation)).getByRole("link", { name });
  await user.click(link("Settings"));
  await screen.findByTestId(testIds.settings);
  answer("timeout");
  await user.click(link("Search"));
  await screen.findByTestId(testIds.results);
  expect(new URLSearchParams(history.location.search).get("query")).toBe("refund");
});

it("opens the view that was chosen last, whichever is read first", async () => {
  const { history } = renderApp("/?query=refund");
  await choose("timeout");
  await choose("refused");
  const query = () => new URLSearchParams(history.location.search).get("query");
  answer("timeout");
  await screen.findByTestId(testIds.results);
  answer("refused");
  await waitFor(() => expect(query()).toBe("refused"));
  history.back();
  await waitFor(() => expect(query()).toBe("refund"));
});

it("keeps the open view, and asks nothing about it, when the deletion of the view before it is answered late", async () => {
  const user = userEvent.setup();
  const { isHeld, release } = held();
  const { history } = renderApp("/?query=refund");
  const shown = () => screen.getByTestId(testIds.views).textContent;
  for (const name of ["refused", "timeout"]) {
    answer(name);
    await choose(name);
    await waitFor(() => expect(shown()).toBe(name));
  }
  api.on(/views\/0+$/, async () => {
    await isHeld;
    return { body: null };
  });
  await choose("Delete timeout…");
  await user.click(await screen.findByTestId(testIds.viewDeleteConfirm));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("DELETE"));
  act(() => history.back());
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  const removed = vi.spyOn(QueryClient.prototype, "removeQueries");
  release();
  await waitFor(() => expect(removed).toHaveBeenCalled());
  expect(shown()).toBe("refused");
  expect(new URLSearchParams(history.location.search).get("view")).toBe(LISTED[1]?.id);
});

// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import type { FakeApi } from "../testing/fakeApi";
import { installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const ID = "0123456789ab";
const LISTED = { id: ID, name: "Errors", folder: "", is_default: true, revision: 1 };
const VIEW = {
  ...LISTED,
  query: "timeout",
  start: "now-6h",
  end: "now",
  order: "asc",
  columns: [{ field: "user.id", width: null }],
  chart_by: "service",
  chart_kind: null,
};
const OPENED = `?query=timeout&stats=&mode=logs&from=now-6h&to=now&order=asc&columns=user.id&by=service&view=${ID}`;

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/views$/, () => ({ body: { views: [LISTED] } }));
  api.on(new RegExp(`views/${ID}$`), () => ({ body: VIEW }));
});

it("opens the view of a link before anything else is searched", async () => {
  const { history } = renderApp(`/?view=${ID}`);
  await waitFor(() => expect(history.location.search).toBe(OPENED));
  await screen.findByTestId(testIds.results);
  const searched = api.requests.filter((request) => request.includes("/logs/search"));
  expect(searched.length).toBeGreaterThan(0);
  expect(searched.filter((request) => !request.includes("query=timeout"))).toEqual([]);
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errors"));
});

it("marks the open view in the menu", async () => {
  const user = userEvent.setup();
  const other = { ...LISTED, id: "aaaaaaaaaaaa", name: "Other", is_default: false };
  api.on(/views$/, () => ({ body: { views: [LISTED, other] } }));
  renderApp(`/?view=${ID}`);
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errors"));
  await user.click(screen.getByTestId(testIds.views));
  const items = await screen.findAllByTestId(testIds.viewItem);
  expect(items.map((item) => item.getAttribute("aria-current"))).toEqual(["true", null]);
});

it("prefers values of the address to the view's, and says that the view is changed", async () => {
  const { history } = renderApp(`/?view=${ID}&query=refund`);
  await waitFor(() => expect(history.location.search).toBe(OPENED.replace("timeout", "refund")));
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errorschanged"));
});

it("says why a view cannot be opened, and searches without it", async () => {
  api.on(/views\//, () => problem(404, "not_found", "there is no such view"));
  const { history } = renderApp(`/?view=${ID}&query=refund`);
  await waitFor(() =>
    expect(screen.getByTestId(testIds.viewOpening).textContent).toContain("There is no such view."),
  );
  screen.getByRole("button", { name: "Search without the view" }).click();
  await screen.findByTestId(testIds.results);
  expect(history.location.search).toBe("?query=refund&from=now-1h&to=now");
});

it("opens the view of a link once, also if the user signs in again", async () => {
  const user = userEvent.setup();
  const { history } = renderApp(`/?view=${ID}`);
  await waitFor(() => expect(history.location.search).toBe(OPENED));
  const refined = OPENED.replace("timeout", "refund");
  history.push(`/${refined}`);
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errorschanged"));
  api.on(/search$/, (_search, _path, key) =>
    key === "newer-key" ? searchPage([sampleLog()]) : problem(401, "unauthenticated", "the key was revoked"),
  );
  await user.click(screen.getByTestId(testIds.refresh));
  await user.type(await screen.findByTestId(testIds.signInKey), "newer-key{Enter}");
  await screen.findByTestId(testIds.results);
  expect(history.location.search).toBe(refined);
});

it("opens no view for a user who has gone to another page meanwhile", async () => {
  const user = userEvent.setup();
  const { isHeld: isAnswered, release: answer } = held();
  api.on(new RegExp(`views/${ID}$`), async () => {
    await isAnswered;
    return { body: VIEW };
  });
  const { history } = renderApp(`/?view=${ID}`);
  await screen.findByTestId(testIds.viewOpening);
  const link = (name: string) => within(screen.getByTestId(testIds.navigation)).getByRole("link", { name });
  await user.click(link("Settings"));
  await screen.findByTestId(testIds.settings);
  answer();
  await user.click(link("Search"));
  await screen.findByTestId(testIds.results);
  expect(new URLSearchParams(history.location.search).get("query")).toBe("");
});

it("opens the default view on a page that was opened without a search", async () => {
  const { history } = renderApp("/");
  await waitFor(() => expect(history.location.search).toBe(OPENED));
});

it("keeps the text of a user who types before the default view is known", async () => {
  const { isHeld: isAnswered, release: answer } = held();
  api.on(/views$/, async () => {
    await isAnswered;
    return { body: { views: [LISTED] } };
  });
  const { history } = renderApp("/");
  const bar = await screen.findByTestId(testIds.queryInput);
  await waitFor(() => expect(api.requests.some((request) => request.endsWith("/views"))).toBe(true));
  await userEvent.type(bar, "payment fai");
  answer();
  await screen.findByTestId(testIds.results);
  await new Promise((resolve) => setTimeout(resolve));
  expect(bar.textContent).toContain("payment fai");
  expect(api.requests.filter((request) => request.includes(`/views/${ID}`))).toEqual([]);
  expect(history.location.search).toBe("?from=now-1h&to=now");
});

it("keeps the search of an address, and requests no views", async () => {
  const { history } = renderApp("/?query=refund");
  await screen.findByTestId(testIds.results);
  expect(history.location.search).toBe("?query=refund");
  expect(api.requests.filter((request) => request.includes("/views"))).toEqual([]);
});

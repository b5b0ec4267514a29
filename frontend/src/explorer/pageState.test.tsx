// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import type { FakeApi } from "../testing/fakeApi";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
});

it("follows the search in the title of the tab", async () => {
  const { history } = renderApp("/?query=payment&from=now-15m");
  await waitFor(() => expect(document.title).toBe('"payment" · last 15 min · Logsieve'));
  history.push("/?query=refund&from=now-6h");
  await waitFor(() => expect(document.title).toBe('"refund" · last 6 hours · Logsieve'));
});

it("refuses a range that ends before it starts, in every part of the page, and sends no request", async () => {
  renderApp("/?query=a&from=now&to=now-1h");
  expect(await screen.findByText(/its end is not after its start/)).toBeTruthy();
  expect(screen.getByTestId(testIds.facets).textContent).toContain("No fields: the time range is empty.");
  expect(screen.getByTestId(testIds.histogram).textContent).toContain("No counts: the time range is empty.");
  expect(screen.getByTestId(testIds.histogram).getAttribute("aria-busy")).toBe("false");
  expect(screen.queryByText(/Counting/)).toBeNull();
  expect(api.requests.filter((request) => request.includes("/logs/"))).toEqual([]);
});

it("reads a range of fixed times again when it is refreshed", async () => {
  const user = userEvent.setup();
  renderApp("/?query=a&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z");
  await screen.findAllByTestId(testIds.resultRow);
  const reads = () =>
    ["search", "histogram", "fields"].map(
      (path) => api.requests.filter((request) => request.includes(`/logs/${path}?`)).length,
    );
  await waitFor(() => expect(reads()).toEqual([1, 1, 1]));
  await user.click(screen.getByTestId(testIds.refresh));
  await waitFor(() => expect(reads()).toEqual([2, 2, 2]));
  await user.click(screen.getByTestId(testIds.run));
  await waitFor(() => expect(reads()).toEqual([3, 3, 3]));
});

it("shows the first rows of a search that was refreshed further down", async () => {
  const user = userEvent.setup();
  renderApp("/?query=a&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z");
  await screen.findAllByTestId(testIds.resultRow);
  screen.getByTestId(testIds.results).scrollTop = 400;
  api.on(/search$/, () => searchPage([sampleLog({ id: "02", body: "arrived since" })]));
  await user.click(screen.getByTestId(testIds.refresh));
  await screen.findByText("arrived since");
  expect(screen.getByTestId(testIds.results).scrollTop).toBe(0);
});

it("leaves the list where it is when the next page of its rows arrives", async () => {
  const { isHeld: isAnswered, release: answerNext } = held();
  api.on(/search$/, async (search) => {
    if (!search.has("cursor")) return searchPage([sampleLog({ id: "01" })], "next");
    await isAnswered;
    return searchPage([sampleLog({ id: "02", body: "of the next page" })]);
  });
  renderApp();
  await screen.findAllByTestId(testIds.resultRow);
  screen.getByTestId(testIds.results).scrollTop = 400;
  answerNext();
  await screen.findByText("of the next page");
  expect(screen.getByTestId(testIds.results).scrollTop).toBe(400);
});

describe("an address without a page", () => {
  it("names what was requested and leads on", async () => {
    renderApp("/elsewhere/7");
    const page = within(await screen.findByTestId(testIds.notFound));
    expect(page.getByRole("main").textContent).toContain("/elsewhere/7");
    expect(page.getByRole("banner")).toBeTruthy();
    expect(page.getByRole("heading", { level: 1 }).textContent).toBe("Page not found");
    const field = page.getByRole("searchbox", { name: "Query" });
    expect((field as HTMLInputElement).form?.getAttribute("action")).toBe("/");
    expect(page.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/", "/"]);
  });
});

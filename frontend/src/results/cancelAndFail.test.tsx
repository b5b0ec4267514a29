// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import type { FakeAnswer, FakeApi } from "../testing/fakeApi";
import { COUNTING, HISTOGRAM, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const progress = { windows: 1, rows_read: 1, bytes_read: 1, elapsed_ms: 1 };
let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
});

describe("a running search", () => {
  it("is aborted by its button, keeps what was found, and can be run again", async () => {
    let stream = openStream();
    api.on(/search$/, () => ({ body: null, lines: stream.lines }));
    renderApp("/?query=slow");
    stream.write({ log: sampleLog({ body: "found before" }) }, { progress });
    await screen.findByText("found before");
    await userEvent.click(screen.getByTestId(testIds.cancel));
    await waitFor(() => expect(stream.state.isCancelled).toBe(true));
    const note = within(await screen.findByTestId(testIds.cancelled));
    expect(screen.getByText("found before")).toBeTruthy();
    expect(screen.queryByTestId(testIds.cancel)).toBeNull();

    stream = openStream();
    await userEvent.click(note.getByTestId(testIds.resume));
    stream.write({ log: sampleLog({ body: "found after" }) }, { progress });
    expect(await screen.findByText("found after")).toBeTruthy();
    expect(screen.queryByTestId(testIds.cancelled)).toBeNull();
  });

  it("is aborted by Escape while the query has the focus, before any row has come", async () => {
    const stream = openStream();
    api.on(/search$/, () => ({ body: null, lines: stream.lines }));
    api.on(/fields$/, () => ({ body: null, lines: openStream().lines }));
    renderApp("/?query=slow");
    await screen.findByTestId(testIds.cancel);
    screen.getByTestId(testIds.queryInput).focus();
    await userEvent.keyboard("{Escape}");
    expect(await screen.findByTestId(testIds.cancelled)).toBeTruthy();
    await waitFor(() => expect(stream.state.isCancelled).toBe(true));
    expect(await screen.findByText("No fields: this search was cancelled.")).toBeTruthy();
  });

  it.each([
    ["another order", async () => userEvent.click(screen.getByTestId(testIds.order))],
    ["patterns", async () => userEvent.click(screen.getByRole("button", { name: "Patterns" }))],
  ])("that was cancelled is no longer called so after it was left for %s and repeated", async (_, leave) => {
    const stream = openStream();
    let isSlow = true;
    api.on(/search$/, (search) =>
      isSlow
        ? { body: null, lines: stream.lines }
        : searchPage([sampleLog({ body: `found ${search.get("order")}` })]),
    );
    const { history } = renderApp("/?query=slow");
    await userEvent.click(await screen.findByTestId(testIds.cancel));
    await screen.findByTestId(testIds.cancelled);
    isSlow = false;
    await leave();
    await waitFor(() => expect(screen.queryByTestId(testIds.cancelled)).toBeNull());
    history.back();
    await screen.findByText("found desc");
    expect(screen.queryByTestId(testIds.cancelled)).toBeNull();
    await waitFor(() => expect(screen.getByTestId(testIds.histogramTotal).textContent).toBe("0"));
    expect(screen.getByText("No more logs in this range")).toBeTruthy();
  });

  it("that was cancelled and left for patterns requests its counts again", async () => {
    let isSlow = true;
    const slowly = (answer: FakeAnswer) => (isSlow ? { body: null, lines: openStream().lines } : answer);
    api.on(/search$/, () => slowly(searchPage([])));
    api.on(/histogram$/, () => slowly(HISTOGRAM));
    api.on(/fields$/, () => slowly({ body: { ...COUNTING, complete: true, fields: [] } }));
    renderApp("/?query=slow");
    const sent = (path: string) => api.sent.filter(({ url }) => url.includes(`/${path}?`));
    await waitFor(() => expect([sent("histogram").length, sent("fields").length]).toEqual([1, 1]));
    await userEvent.click(await screen.findByTestId(testIds.cancel));
    await screen.findByTestId(testIds.cancelled);
    isSlow = false;
    await userEvent.click(screen.getByRole("button", { name: "Patterns" }));
    await waitFor(() => expect(screen.getByTestId(testIds.histogramTotal).textContent).toBe("0"));
    expect(await screen.findByText("No fields.")).toBeTruthy();
    expect([sent("histogram").length, sent("fields").length]).toEqual([2, 2]);
  });

  it("that was cancelled and left for another query requests nothing more", async () => {
    const slow = () => ({ body: null, lines: openStream().lines });
    for (const path of [/search$/, /histogram$/, /fields$/]) api.on(path, slow);
    const { history } = renderApp("/?query=slow");
    const sent = (query: string) => api.requests.filter((url) => url.includes(`query=${query}`)).length;
    await waitFor(() => expect(sent("slow")).toBe(3));
    await userEvent.click(await screen.findByTestId(testIds.cancel));
    await screen.findByTestId(testIds.cancelled);
    history.push("/?query=other");
    await waitFor(() => expect(sent("other")).toBe(3));
    expect(sent("slow")).toBe(3);
  });

  it("that was cancelled says whose fields are shown", async () => {
    const fields = [{ name: "service", source: "record", records: 7 }];
    api.on(/search$/, () => searchPage([sampleLog()]));
    api.on(/fields$/, () => ({ body: { ...COUNTING, basis: "newest", complete: true, fields } }));
    const { history } = renderApp("/?query=light");
    await screen.findByText("Counts of all matching logs.");
    for (const path of [/search$/, /fields$/])
      api.on(path, () => ({ body: null, lines: openStream().lines }));
    history.push("/?query=heavy");
    await userEvent.click(await screen.findByTestId(testIds.cancel));
    await screen.findByText("Counts of the previous search, because this search was cancelled.");
    expect(screen.queryByText("Counts of all matching logs.")).toBeNull();
  });

  it("does not request a cancelled next page by itself", async () => {
    const stream = openStream();
    api.on(/search$/, (search) =>
      search.has("cursor") ? { body: null, lines: stream.lines } : searchPage([sampleLog()], "c2"),
    );
    renderApp();
    const pages = () => api.requests.filter((request) => request.includes("cursor=c2"));
    await waitFor(() => expect(pages()).toHaveLength(1));
    await userEvent.click(await screen.findByTestId(testIds.cancel));
    await screen.findByTestId(testIds.cancelled);
    expect(pages()).toHaveLength(1);
    await userEvent.click(screen.getByTestId(testIds.resume));
    await waitFor(() => expect(pages()).toHaveLength(2));
  });
});

describe("a search that fails after another one", () => {
  const old = () => searchPage([sampleLog({ body: "of the search before" })]);

  it("dims the old results below the reason", async () => {
    api.on(/search$/, (search) =>
      search.get("query") === "heavy" ? problem(422, "query_too_expensive", "it reads too much") : old(),
    );
    const { history } = renderApp("/?query=light");
    await screen.findByText("of the search before");
    history.push("/?query=heavy");
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("It reads too much.");
    expect(screen.getByText("of the search before")).toBeTruthy();
    expect(screen.getByTestId(testIds.results).dataset.stale).toBe("true");

    api.on(/search$/, () => searchPage([sampleLog({ body: "after all" })]));
    await userEvent.click(screen.getByTestId(testIds.retry));
    expect(await screen.findByText("after all")).toBeTruthy();
    expect(screen.getByTestId(testIds.results).dataset.stale).toBe("false");
    expect(screen.queryByTestId(testIds.error)).toBeNull();
  });

  it("dims them for a query that cannot be read as well", async () => {
    api.on(/search$/, (search) =>
      search.get("query") === "a )" ? problem(400, "invalid_query", "no", { position: 2 }) : old(),
    );
    const { history } = renderApp("/?query=a");
    await screen.findByText("of the search before");
    history.push("/?query=a+)");
    expect(await screen.findByText(/Correct the query above/)).toBeTruthy();
    expect(screen.getByTestId(testIds.results).dataset.stale).toBe("true");
  });
});

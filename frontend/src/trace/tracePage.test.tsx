// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

it("reads a trace again when it is opened again, because logs of it may have arrived", async () => {
  const first = sampleLog({ id: "01", trace_id: TRACE });
  const second = sampleLog({ id: "02", trace_id: TRACE, timestamp: "2026-11-21T01:02:04.000000000Z" });
  let logs = [first];
  const api = installFakeApi();
  api.on(/search$/, () => searchPage(logs));
  const { history } = renderApp(`/trace/${TRACE}`);
  expect(await screen.findAllByTestId(testIds.traceRow)).toHaveLength(1);

  history.push("/settings");
  await screen.findByTestId(testIds.settings);
  logs = [first, second];
  history.push(`/trace/${TRACE}`);
  await waitFor(() => expect(screen.getAllByTestId(testIds.traceRow)).toHaveLength(2));
});

const TOO_EXPENSIVE = problem(400, "query_too_expensive", "reads too much");
const FIRST = sampleLog({ id: "01", trace_id: TRACE });
const LAST = sampleLog({ id: "02", trace_id: TRACE, timestamp: "2026-11-21T01:02:13.123456789Z" });

/** Makes a trace of two pages with one log each. Its logs can be counted. */
function traceOfTwoPages(): FakeApi {
  const api = installFakeApi();
  api.on(/search$/, (search) => {
    if (search.get("order") === "desc" || search.get("cursor") !== null) return searchPage([LAST]);
    return searchPage([FIRST], "next");
  });
  api.on(/histogram$/, () => ({ body: { interval_ns: 1, buckets: [{ total: 2 }], by: null, series: [] } }));
  return api;
}

const rows = () => screen.getAllByTestId(testIds.traceRow);

it("shows the loaded logs before the last log is known", async () => {
  const api = traceOfTwoPages();
  const { isHeld, release } = held();
  api.on(/search$/, async (search) => {
    if (search.get("order") === "desc") await isHeld;
    return search.get("order") === "desc" ? searchPage([LAST]) : searchPage([FIRST], "next");
  });
  renderApp(`/trace/${TRACE}`);
  expect(await screen.findAllByTestId(testIds.traceRow)).toHaveLength(1);
  expect(screen.queryByTestId(testIds.traceSummary)).toBeNull();
  release();
  expect((await screen.findByTestId(testIds.traceSummary)).textContent).toMatch(/ in 10\.000 s, from /);
});

it("shows logs that cannot be counted, and counts them again on request", async () => {
  const user = userEvent.setup();
  const api = traceOfTwoPages();
  let count = TOO_EXPENSIVE;
  api.on(/histogram$/, () => count);
  renderApp(`/trace/${TRACE}`);
  await screen.findByText("This query exceeded a limit");
  expect(rows()).toHaveLength(1);
  expect(screen.getByTestId(testIds.traceSummary).textContent).toMatch(/^Logs in 10\.000 s, from /);
  expect(screen.getByText("1 are shown")).toBeTruthy();

  count = { body: { interval_ns: 1, buckets: [{ total: 2 }], by: null, series: [] } };
  await user.click(screen.getByTestId(testIds.retry));
  await screen.findByText("1 of 2 are shown");
  expect(screen.queryByTestId(testIds.error)).toBeNull();
  expect(screen.getByTestId(testIds.traceSummary).textContent).toMatch(/^2 logs in 10\.000 s, from /);
});

it("reports a further page that failed below the rows, and reads only this page again", async () => {
  const user = userEvent.setup();
  const api = traceOfTwoPages();
  let isFailing = true;
  api.on(/search$/, (search) => {
    if (search.get("order") === "desc") return searchPage([LAST]);
    if (search.get("cursor") === null) return searchPage([FIRST], "next");
    return isFailing ? TOO_EXPENSIVE : searchPage([LAST]);
  });
  renderApp(`/trace/${TRACE}`);
  await screen.findByText("1 of 2 are shown");
  await user.click(screen.getByTestId(testIds.traceMore));
  const failure = await screen.findByTestId(testIds.error);
  expect(rows()[0]?.compareDocumentPosition(failure)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);

  isFailing = false;
  const sent = api.requests.length;
  await user.click(within(failure).getByTestId(testIds.retry));
  await waitFor(() => expect(rows()).toHaveLength(2));
  expect(screen.queryByTestId(testIds.error)).toBeNull();
  expect(
    api.requests.slice(sent).map((each) => new URLSearchParams(each.split("?")[1]).get("cursor")),
  ).toEqual(["next"]);
});

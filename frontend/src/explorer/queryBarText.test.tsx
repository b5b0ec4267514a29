// @vitest-environment jsdom
import { EditorView } from "@codemirror/view";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { COUNTING, type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
  api.on(/logs\/search$/, () => searchPage([sampleLog()]));
});

function queryBar(): EditorView {
  const editor = EditorView.findFromDOM(screen.getByTestId(testIds.queryInput));
  if (editor === null) throw new Error("the page has no query bar");
  return editor;
}

const shownText = () => queryBar().state.doc.toString();

/** Adds a text to the query without running it. */
function typeAtEnd(text: string): void {
  const editor = queryBar();
  act(() => editor.dispatch({ changes: { from: editor.state.doc.length, insert: text } }));
}

it("shows the query of an opened view instead of a text that was not run", async () => {
  const user = userEvent.setup();
  const listed = { id: "0123456789ab", name: "Errors", folder: "", is_default: false, revision: 1 };
  const view = { query: "error", start: "now-1h", end: "now", order: "desc", columns: [] };
  api.on(/views$/, () => ({ body: { views: [listed] } }));
  api.on(/views\/\w+$/, () => ({ body: { ...listed, ...view, chart_by: null, chart_kind: null } }));
  const { history } = renderApp("/?query=error&from=now-1h&to=now");
  await screen.findAllByTestId(testIds.resultRow);
  typeAtEnd(" foo");
  expect(shownText()).toBe("error foo");

  await user.click(screen.getByTestId(testIds.views));
  await user.click(await screen.findByTestId(testIds.viewItem));
  await waitFor(() => expect(shownText()).toBe("error"));
  expect(new URLSearchParams(history.location.search).get("query")).toBe("error");
});

const service = { name: "service", source: "record", records: 7 };

/** Lets the API list the field `service` with the value `cart`. */
function listService(): void {
  const values = [{ value: "cart", records: 7 }];
  api.on(/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields: [service] } }));
  api.on(/fields\/service\/values$/, () => ({
    body: { ...COUNTING, ...service, complete: true, more: false, values },
  }));
}

it("removes a filter that was not run by a click on its value", async () => {
  const user = userEvent.setup();
  listService();
  renderApp("/?from=now-1h&to=now");
  await user.click(await screen.findByRole("button", { name: /^service/ }));
  const value = await screen.findByTestId(testIds.facetValue);
  typeAtEnd("service:cart");
  expect(shownText()).toBe("service:cart");

  await user.click(value);
  expect(shownText()).toBe("");
});

it("opens the chart by a click on a value if a text with stats was typed and not run", async () => {
  const user = userEvent.setup();
  listService();
  const { history } = renderApp("/?query=a&from=now-1h&to=now");
  await user.click(await screen.findByRole("button", { name: /^service/ }));
  const value = await screen.findByTestId(testIds.facetValue);
  typeAtEnd(" | stats count()");

  await user.click(value);
  await screen.findByTestId(testIds.chart);
  const search = new URLSearchParams(history.location.search);
  expect([search.get("query"), search.get("stats")]).toEqual(["a service:cart", "count()"]);
});

it("shows the logs by a click on a value if the text with stats was removed and the query was not run", async () => {
  const user = userEvent.setup();
  listService();
  const { history } = renderApp("/?query=a&stats=count()&mode=chart&from=now-1h&to=now");
  await user.click(await screen.findByRole("button", { name: /^service/ }));
  const value = await screen.findByTestId(testIds.facetValue);
  const editor = queryBar();
  act(() => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: "a" } }));

  await user.click(value);
  await screen.findAllByTestId(testIds.resultRow);
  expect(new URLSearchParams(history.location.search).get("query")).toBe("a service:cart");
  expect(screen.queryByTestId(testIds.chart)).toBeNull();
});

it.each([testIds.run, testIds.refresh, testIds.order])(
  "shows what is missing after `| stats`, and not the logs of the text before it: %s",
  async (button) => {
    const user = userEvent.setup();
    api.on(/search$/, (search) =>
      search.get("query")?.includes("|")
        ? problem(400, "invalid_query", "a function is missing", { position: 7 })
        : searchPage([sampleLog()]),
    );
    renderApp("/?query=a&from=now-1h&to=now");
    await screen.findAllByTestId(testIds.resultRow);
    typeAtEnd(" | stats");
    await user.click(screen.getByTestId(button));
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("A function is missing.");
    expect(shownText()).toBe("a | stats");

    typeAtEnd(" count()");
    await user.click(screen.getByTestId(testIds.run));
    await screen.findByTestId(testIds.chart);
    expect(shownText()).toBe("a | stats count()");
  },
);

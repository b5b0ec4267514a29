// @vitest-environment jsdom
import { Blob as NodeBlob } from "node:buffer";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, searchPage } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";
import { saveFile } from "./saveFile";

vi.mock("./saveFile", () => ({ saveFile: vi.fn() }));

prepareBrowser();

let api: FakeApi;
let file: ReturnType<typeof openStream>;

beforeEach(() => {
  // jsdom's Blob cannot be read.
  vi.stubGlobal("Blob", NodeBlob);
  vi.mocked(saveFile).mockClear();
  file = openStream();
  api = installFakeApi();
  api.on(/logs\/search$/, () => searchPage([sampleLog()]));
  api.on(/logs\/tail$/, () => ({ body: null, lines: openStream().lines }));
  api.on(/logs\/export$/, () => ({ body: null, lines: file.lines }));
});

/** Opens the search page and starts an export, whose first record arrives. */
async function startExport(user: UserEvent) {
  const { history } = renderApp("/?query=error&from=now-1h&to=now");
  await screen.findAllByTestId(testIds.resultRow);
  await user.click(screen.getByTestId(testIds.exportOpen));
  await user.click(await screen.findByTestId(testIds.exportNdjson));
  file.write({ id: "01" });
  await waitFor(() => expect(screen.getByTestId(testIds.exportProgress).textContent).toContain("12 B"));
  return history;
}

const goTo = async (user: UserEvent, page: string) =>
  user.click(await within(screen.getByTestId(testIds.navigation)).findByRole("link", { name: page }));

it("goes on while the page shows patterns, a chart and a live tail, and says at its end what it saved", async () => {
  const user = userEvent.setup();
  await startExport(user);
  await user.click(screen.getByRole("button", { name: "Patterns" }));
  await screen.findByTestId(testIds.patterns);
  await user.click(screen.getByRole("button", { name: "Chart" }));
  await screen.findByTestId(testIds.chart);
  await user.click(screen.getByTestId(testIds.tailToggle));
  await screen.findByTestId(testIds.tail);
  file.write({ id: "02" });
  file.close();
  await waitFor(() => expect(saveFile).toHaveBeenCalledTimes(1));

  await user.click(screen.getByTestId(testIds.tailToggle));
  await user.click(await screen.findByRole("button", { name: "Logs" }));
  expect((await screen.findByTestId(testIds.exportSaved)).textContent).toBe("2 logs saved");
});

it("saves no page of a proxy as logs", async () => {
  const user = userEvent.setup();
  api.on(/logs\/export$/, () => ({ body: "<html>Sign in</html>", type: "text/html" }));
  renderApp("/?query=error&from=now-1h&to=now");
  await screen.findAllByTestId(testIds.resultRow);
  await user.click(screen.getByTestId(testIds.exportOpen));
  await user.click(await screen.findByTestId(testIds.exportNdjson));
  expect((await screen.findByTestId(testIds.error)).textContent).toContain("status 502");
  expect(saveFile).not.toHaveBeenCalled();
});

it("no longer says of another search that it failed", async () => {
  const user = userEvent.setup();
  const history = await startExport(user);
  file.write({ error: { status: 422, code: "query_too_expensive", detail: "narrow the range" } });
  file.close();
  expect((await screen.findByTestId(testIds.error)).textContent).toContain(
    "Export failed. Narrow the range.",
  );
  expect(saveFile).not.toHaveBeenCalled();
  act(() => history.push("/?query=timeout&from=now-1h&to=now"));
  await waitFor(() => expect(screen.queryByTestId(testIds.error)).toBeNull());
  expect(screen.getByTestId(testIds.exportOpen)).toBeTruthy();
});

it("says that it failed also if another search was started meanwhile", async () => {
  const user = userEvent.setup();
  const history = await startExport(user);
  act(() => history.push("/?query=timeout&from=now-1h&to=now"));
  await waitFor(() => expect(api.requests.some((request) => request.includes("query=timeout"))).toBe(true));
  file.write({ error: { status: 422, code: "query_too_expensive", detail: "narrow the range" } });
  file.close();
  expect((await screen.findByTestId(testIds.error)).textContent).toContain("Export failed");
});

it("asks before another page is opened, and is cancelled by leaving", async () => {
  const user = userEvent.setup();
  const history = await startExport(user);
  await goTo(user, "Settings");
  await user.click(await screen.findByRole("button", { name: "Stay" }));
  await waitFor(() => expect(screen.queryByTestId(testIds.exportLeave)).toBeNull());
  expect(history.location.pathname).toBe("/");
  expect(file.state.isCancelled).toBe(false);

  await goTo(user, "Settings");
  await user.click(await screen.findByTestId(testIds.exportLeave));
  await screen.findByTestId(testIds.settings);
  await waitFor(() => expect(file.state.isCancelled).toBe(true));
  expect(saveFile).not.toHaveBeenCalled();
});

it("asks no longer if it has ended, and the page stays to say so", async () => {
  const user = userEvent.setup();
  const history = await startExport(user);
  await goTo(user, "Settings");
  await screen.findByTestId(testIds.exportLeave);
  file.close();
  await waitFor(() => expect(screen.queryByTestId(testIds.exportLeave)).toBeNull());
  expect((await screen.findByTestId(testIds.exportSaved)).textContent).toBe("1 log saved");
  expect(history.location.pathname).toBe("/");

  await goTo(user, "Settings");
  await screen.findByTestId(testIds.settings);
});

it("is cancelled by signing out, without a question", async () => {
  const user = userEvent.setup();
  await startExport(user);
  await user.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
  await user.click(await screen.findByTestId(testIds.signOut));
  await screen.findByTestId(testIds.signInKey);
  await waitFor(() => expect(file.state.isCancelled).toBe(true));
  expect(saveFile).not.toHaveBeenCalled();
});

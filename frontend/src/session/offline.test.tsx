// @vitest-environment jsdom
import { onlineManager } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const RULE = sampleAlert();

let isConnected: boolean;
let sent: string[];

beforeEach(() => {
  isConnected = true;
  sent = [];
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/alerts\/\w+$/, () => ({ body: { alert: RULE, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  const answer = globalThis.fetch;
  vi.stubGlobal("fetch", (request: Request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname}`);
    return isConnected ? answer(request) : Promise.reject(new TypeError("Failed to fetch"));
  });
});

// Other test files share the module that knows whether the browser is online.
afterEach(() => onlineManager.setOnline(true));

const goOffline = () => act(() => void window.dispatchEvent(new Event("offline")));

it("searches while the browser reports that it is offline, and says that nothing answers", async () => {
  const user = userEvent.setup();
  renderApp("/");
  await screen.findByTestId(testIds.resultRow);
  goOffline();
  expect(onlineManager.isOnline()).toBe(false);
  const before = sent.length;
  isConnected = false;
  await user.click(screen.getByTestId(testIds.refresh));
  expect((await screen.findByTestId(testIds.error)).textContent).toContain("No connection");
  expect(sent.slice(before).filter((each) => each.endsWith("/search")).length).toBeGreaterThan(0);
});

it("reports a deletion that could not be sent, and sends it no later", async () => {
  const user = userEvent.setup();
  renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertDelete));
  goOffline();
  isConnected = false;
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  await screen.findAllByText("The Logsieve API cannot be reached; check your network.");
  await user.click(screen.getByRole("button", { name: "Keep the rule" }));
  isConnected = true;
  act(() => onlineManager.setOnline(true));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(sent.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
});

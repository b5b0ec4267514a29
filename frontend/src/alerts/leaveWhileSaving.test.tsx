// @vitest-environment jsdom
import { createBrowserHistory } from "@tanstack/react-router";
import { act, configure, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

const RULE = sampleAlert();
const ADDRESS = `/alerts/${RULE.id}`;

let api: FakeApi;
let history: ReturnType<typeof createBrowserHistory>;
/** Lets the API answer the request that saves the rule. */
let answer: () => void;
let isRefused: boolean;

beforeEach(() => {
  // As in main.tsx, effects run twice.
  configure({ reactStrictMode: true });
  const { isHeld, release } = held();
  answer = release;
  isRefused = false;
  api = installFakeApi();
  const save = async (status: number) => {
    await isHeld;
    return isRefused ? problem(503, "unavailable", "PostgreSQL did not answer") : { status, body: RULE };
  };
  const method = () => api.sent.at(-1)?.method;
  api.on(/alerts$/, () => (method() === "POST" ? save(201) : { body: { alerts: [RULE] } }));
  api.on(/alerts\/\w+$/, () => (method() === "PUT" ? save(200) : { body: { alert: RULE, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
});

afterEach(() => {
  configure({ reactStrictMode: false });
  history.destroy();
  window.history.replaceState(null, "", "/");
});

/** Opens Get started, then the page at `address` and its form, and changes the name. */
async function edit(address: string, button: string) {
  const user = userEvent.setup();
  window.history.replaceState(null, "", "/get-started");
  history = createBrowserHistory();
  renderApp("", history);
  await screen.findByTestId(testIds.getStarted);
  act(() => history.push(address));
  await user.click(await screen.findByTestId(button));
  await user.type(await screen.findByTestId(testIds.alertName), "Errors");
  return user;
}

async function save(user: ReturnType<typeof userEvent.setup>, method: string) {
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe(method));
}

const question = () => screen.findByRole("alertdialog");

it("goes back if the rule is saved while Back asks", async () => {
  const user = await edit(ADDRESS, testIds.alertEdit);
  await save(user, "PUT");
  history.back();
  const asked = await question();
  expect(asked.textContent).toContain(
    "This rule is being saved. It may still be saved if you leave this page.",
  );
  expect(asked.textContent).not.toContain("have not been saved");

  answer();
  await screen.findByTestId(testIds.getStarted);
  expect(window.location.pathname).toBe("/get-started");
  expect(history.location.pathname).toBe("/get-started");
});

it("goes back instead of opening a new rule that is saved while Back asks", async () => {
  const user = await edit("/alerts", testIds.alertNew);
  await user.type(screen.getByTestId(testIds.alertDestination), "https://example.org");
  await save(user, "POST");
  history.back();
  await question();
  answer();
  await screen.findByTestId(testIds.getStarted);
  expect(window.location.pathname).toBe("/get-started");
  history.forward();
  await screen.findByTestId(testIds.alertNew);
  expect(window.location.pathname).toBe("/alerts");
});

it("opens the page of a link if the rule is saved while the link asks", async () => {
  const user = await edit(ADDRESS, testIds.alertEdit);
  await save(user, "PUT");
  history.push("/get-started");
  await question();
  answer();
  await screen.findByTestId(testIds.getStarted);
  await waitFor(() => expect(window.location.pathname).toBe("/get-started"));
});

it("asks whether to discard the changes again if saving fails while Back asks", async () => {
  const user = await edit(ADDRESS, testIds.alertEdit);
  await save(user, "PUT");
  history.back();
  await question();
  isRefused = true;
  answer();
  await screen.findByText("The changes to this rule have not been saved.");
  await user.click(screen.getByRole("button", { name: "Keep editing" }));
  await waitFor(() => expect(window.location.pathname).toBe(ADDRESS));
  expect(screen.getByTestId(testIds.alertName)).toBeTruthy();
});

it("opens no link of a user who signs out in another page while the link asks", async () => {
  await edit(ADDRESS, testIds.alertEdit);
  history.push("/?query=secret");
  await question();
  act(() =>
    window.dispatchEvent(new StorageEvent("storage", { key: "logsieve.signed-out", newValue: "demo-key" })),
  );
  await screen.findByTestId(testIds.signInKey);
  await waitFor(() => expect(window.location.pathname).toBe("/"));
  expect(window.location.search).not.toContain("secret");
  expect(history.location.search).not.toContain("secret");
});

// @vitest-environment jsdom
import { createBrowserHistory } from "@tanstack/react-router";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testIds } from "../../testIds";
import { type FakeApi, installFakeApi } from "../../testing/fakeApi";
import { held } from "../../testing/held";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

const CREATED = { id: "ab12", tenant: "demo", purpose: "ingest", key: "ls_ingest_ab12_5ec2e7" };

let api: FakeApi;
let history: ReturnType<typeof createBrowserHistory>;
/** Lets the API answer the request that creates the key. */
let answer: () => void;

beforeEach(() => {
  const { isHeld, release } = held();
  answer = release;
  sessionStorage.setItem("logsieve.admin-key", "right");
  api = installFakeApi();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [sampleTenant()] } }));
  api.on(/admin\/tenants\/demo\/keys$/, async () => {
    if (api.sent.at(-1)?.method !== "POST") return { body: { keys: [] } };
    await isHeld;
    return { body: CREATED };
  });
});

afterEach(() => {
  history.destroy();
  window.history.replaceState(null, "", "/");
});

/** Opens a page, and creates a key by its button. */
async function create(address: string, button: string) {
  const user = userEvent.setup();
  window.history.replaceState(null, "", address);
  history = createBrowserHistory();
  renderApp("", history);
  await user.click(await screen.findByTestId(button));
  await waitFor(() => expect(api.sent.some(({ method }) => method === "POST")).toBe(true));
  return user;
}

it("asks before another section is opened, and shows the key that arrives meanwhile", async () => {
  const user = await create("/settings/keys", testIds.keyCreate);
  expect(screen.getByTestId<HTMLButtonElement>(testIds.adminLock).disabled).toBe(true);
  await user.click(screen.getByRole("link", { name: "Audit log" }));
  expect((await screen.findByRole("alertdialog")).textContent).toContain("The key is being created.");
  answer();
  expect((await screen.findByTestId(testIds.keyRevealed)).textContent).toContain(CREATED.key);
  await user.click(screen.getByTestId(testIds.keyRevealedClose));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(window.location.pathname).toBe("/settings/keys");
});

it("asks before Back leaves the page that shows the text of the key", async () => {
  answer();
  const user = await create("/settings/keys", testIds.keyCreate);
  await screen.findByTestId(testIds.keyRevealed);
  history.push("/alerts");
  await screen.findByText(/cannot be shown again. If you have not copied it/);
  await user.click(screen.getByRole("button", { name: "Stay" }));
  await waitFor(() => expect(screen.queryByTestId(testIds.keyLeave)).toBeNull());
  expect(screen.getByTestId(testIds.keyRevealed).textContent).toContain(CREATED.key);

  history.push("/alerts");
  await user.click(await screen.findByTestId(testIds.keyLeave));
  await waitFor(() => expect(window.location.pathname).toBe("/alerts"));
});

it("asks before Get started is left while its key is created", async () => {
  const user = await create("/get-started", testIds.createIngestKey);
  await user.click(screen.getByRole("link", { name: "Dashboards" }));
  await user.click(await screen.findByRole("button", { name: "Stay" }));
  answer();
  await screen.findByText(/The new key is in the field/);
});

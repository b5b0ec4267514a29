// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../../testIds";
import { type FakeApi, installFakeApi } from "../../testing/fakeApi";
import { held } from "../../testing/held";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

const TIMES = { created_at: "2026-11-21T00:00:00Z", last_used_at: null, revoked_at: null, expires_at: null };

let api: FakeApi;
/** Label of the key in the list. */
let label: string;

beforeEach(() => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  label = "before";
  api = installFakeApi();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [sampleTenant()] } }));
  api.on(/keys$/, () => ({ body: { keys: [{ id: "ab12", purpose: "query", label, ...TIMES }] } }));
});

it("warns before the key of this page is revoked, also if another tab has stored another key", async () => {
  localStorage.setItem("logsieve.query-key", "ls_query_ab12_5ec2e7");
  const user = userEvent.setup();
  renderApp("/settings/usage");
  await screen.findByTestId(testIds.settings);
  localStorage.setItem("logsieve.query-key", "ls_query_cd34_5ec2e7");
  await user.click(screen.getByRole("link", { name: "Keys" }));
  await user.click(await screen.findByTestId(testIds.keyRevoke));
  await screen.findByText(/This page is signed in with this key/);
});

it("keeps the dialog of a label that was opened again before the first change was answered", async () => {
  const { isHeld, release } = held();
  api.on(/keys\/ab12$/, async () => {
    await isHeld;
    label = "after";
    return { body: { id: "ab12", purpose: "query", label, ...TIMES } };
  });
  const user = userEvent.setup();
  renderApp("/settings/keys");
  await user.click(await screen.findByTestId(testIds.keyRelabel));
  await user.click(await screen.findByTestId(testIds.keyLabelSave));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await user.click(screen.getByTestId(testIds.keyRelabel));
  release();
  await waitFor(() => expect(screen.getByTestId(testIds.keyRow).textContent).toContain("after"));
  expect(screen.getByTestId(testIds.keyNewLabel)).toBeTruthy();
});

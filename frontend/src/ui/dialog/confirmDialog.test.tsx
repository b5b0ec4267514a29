// @vitest-environment jsdom
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { testIds } from "../../testIds";
import { type FakeApi, installFakeApi, problem } from "../../testing/fakeApi";
import { held } from "../../testing/held";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleAlert } from "../../testing/sampleAlert";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

const RULE = sampleAlert();

/** Opens the question whether a rule is deleted. `remove` answers the request that deletes it. */
async function askToDelete(remove: Parameters<FakeApi["on"]>[1]) {
  const user = userEvent.setup({ advanceTimers: (ms) => vi.isFakeTimers() && vi.advanceTimersByTime(ms) });
  const api = installFakeApi();
  api.on(/alerts\/\w+$/, (...request) =>
    api.sent.at(-1)?.method === "DELETE" ? remove(...request) : { body: { alert: RULE, groups: [] } },
  );
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertDelete));
  return { user, api };
}

it("cannot be closed as if nothing happened while its request runs", async () => {
  const { isHeld, release } = held();
  const { user, api } = await askToDelete(async () => {
    await isHeld;
    return problem(500, "internal", "the rule could not be deleted");
  });
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("DELETE"));
  const keep = () => screen.getByRole<HTMLButtonElement>("button", { name: "Keep the rule" });
  await waitFor(() => expect(keep().disabled).toBe(true));
  await user.keyboard("{Escape}");
  expect(screen.getByRole("alertdialog")).toBeTruthy();

  release();
  await screen.findByText("The rule could not be deleted.");
  await user.click(keep());
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

it("can be closed when the answer takes long, and says that the object may still be deleted", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { user } = await askToDelete(() => new Promise(() => {}));
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  const keep = screen.getByRole<HTMLButtonElement>("button", { name: "Keep the rule" });
  await waitFor(() => expect(keep.disabled).toBe(true));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(screen.getByRole("alertdialog").textContent).toContain("may still be deleted");
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

it("says of a key that it may still be revoked", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  sessionStorage.setItem("logsieve.admin-key", "right");
  const api = installFakeApi();
  const times = {
    created_at: "2026-11-21T00:00:00Z",
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
  };
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [sampleTenant({ name: "demo" })] } }));
  api.on(/keys/, () =>
    api.sent.at(-1)?.method === "GET"
      ? { body: { keys: [{ id: "ab12", purpose: "query", label: "", ...times }] } }
      : new Promise(() => {}),
  );
  const user = userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) });
  renderApp("/settings/keys");
  await user.click(await screen.findByTestId(testIds.keyRevoke));
  await user.click(screen.getByTestId(testIds.keyRevokeConfirm));
  await waitFor(() => expect(api.sent.at(-1)?.method).not.toBe("GET"));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(screen.getByRole("alertdialog").textContent).toContain("The key may still be revoked");
});

/** Makes the browser report this element as the one that fills the screen. */
function fillScreen(element: Element | null): void {
  Object.defineProperty(document, "fullscreenElement", { configurable: true, get: () => element });
}

afterEach(() => {
  vi.useRealTimers();
  Reflect.deleteProperty(document, "fullscreenElement");
});

it("is in the element that fills the screen, and stays there when full screen ends", async () => {
  const { user } = await askToDelete(() => problem(500, "internal", "the rule could not be deleted"));
  await user.click(screen.getByRole("button", { name: "Keep the rule" }));
  const main = screen.getByRole("main");
  fillScreen(main);
  await user.click(screen.getByTestId(testIds.alertDelete));
  const dialog = screen.getByRole("alertdialog");
  expect(main.contains(dialog)).toBe(true);

  fillScreen(null);
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  await screen.findByText("The rule could not be deleted.");
  expect(screen.getByRole("alertdialog")).toBe(dialog);
  await user.click(screen.getByRole("button", { name: "Keep the rule" }));
  await user.click(screen.getByTestId(testIds.alertDelete));
  expect(main.contains(screen.getByRole("alertdialog"))).toBe(false);
});

it("shows a form in the element that fills the screen", async () => {
  const { user } = await askToDelete(() => problem(500, "internal", "the rule could not be deleted"));
  await user.click(screen.getByRole("button", { name: "Keep the rule" }));
  const main = screen.getByRole("main");
  fillScreen(main);
  await user.click(screen.getByTestId(testIds.alertEdit));
  expect(main.contains(screen.getByRole("dialog"))).toBe(true);
});

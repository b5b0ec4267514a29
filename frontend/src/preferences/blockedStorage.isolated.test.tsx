// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

function refuse(): never {
  throw new DOMException("The operation is not allowed", "SecurityError");
}

it("signs in, searches and changes the theme although the browser blocks its storage", async () => {
  const user = userEvent.setup();
  for (const method of ["getItem", "setItem", "removeItem"] as const)
    vi.spyOn(Storage.prototype, method).mockImplementation(refuse);
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  const { history } = renderApp("/?query=order&from=now-1h&to=now");
  await user.type(await screen.findByTestId(testIds.signInKey), "demo-key{Enter}");
  await screen.findAllByTestId(testIds.resultRow);

  await user.click(screen.getByTestId(testIds.order));
  await waitFor(() => expect(history.location.search).toContain("order=asc"));
  await user.click(screen.getByTestId(testIds.themeToggle));
  expect(document.documentElement.dataset.theme).toBe("dark");
  await user.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
  await user.click(await screen.findByTestId(testIds.signOut));
  await screen.findByTestId(testIds.signInKey);
});

// The last test, because it loads the module a second time.
it("loads the preferences although the browser blocks its storage", async () => {
  const blocked = vi.spyOn(window, "localStorage", "get").mockImplementation(refuse);
  vi.resetModules();
  const preferences = await import("./preferences");
  expect(preferences.load(null).theme).toBe("system");
  blocked.mockRestore();
});

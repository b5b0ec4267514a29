// @vitest-environment jsdom
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

const TENANT = { body: { name: "demo", retention_days: 30 } };

let api: FakeApi;

beforeEach(() => {
  api = installFakeApi();
});

/**
 * Returns a function that lets the time for the next answer pass, once a request waits for it. No test has to wait for
 * this time.
 */
function watchLateness() {
  const started = vi.spyOn(globalThis, "setTimeout");
  const late = () => started.mock.calls.filter(([, delay]) => delay === 10_000);
  let passed = 0;
  return async () => {
    await waitFor(() => expect(late().length).toBeGreaterThan(passed));
    const [callback] = late()[passed] ?? [];
    passed += 1;
    act(() => (callback as () => void)());
  };
}

const isSilent = () => new Promise<never>(() => {});

it("says that it waits for an answer, then that there is none, and tries again on request", async () => {
  api.on(/tenant$/, isSilent);
  const passTime = watchLateness();
  renderApp();
  expect((await screen.findByRole("status")).textContent).toBe("Waiting for an answer from Logsieve…");
  // The page tries once more by itself.
  await passTime();
  await passTime();
  expect((await screen.findByTestId(testIds.error)).textContent).toContain(
    "Logsieve has not answered for 10 seconds",
  );
  api.on(/tenant$/, () => TENANT);
  await userEvent.click(screen.getByTestId(testIds.retry));
  expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
});

it("keeps the key of a sign-in link that is answered late", async () => {
  localStorage.clear();
  window.history.replaceState(null, "", "/#sign-in=0a1b");
  let answer = () => {};
  api.on(/ui\/session$/, async () => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return { body: { tenant: "demo", query_key: "from-link" } };
  });
  const passTime = watchLateness();
  renderApp();
  await passTime();
  await passTime();
  await screen.findByTestId(testIds.error);
  answer();
  await waitFor(() => expect(localStorage.getItem("logsieve.query-key")).toBe("from-link"));
  await userEvent.click(screen.getByTestId(testIds.retry));
  expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
});

it("lets the user submit a key again if the check is not answered", async () => {
  localStorage.clear();
  renderApp();
  await screen.findByTestId(testIds.signInKey);
  api.on(/tenant$/, isSilent);
  const passTime = watchLateness();
  await userEvent.type(screen.getByTestId(testIds.signInKey), "right{Enter}");
  await passTime();
  expect((await screen.findByTestId(testIds.error)).textContent).toContain("has not answered");
  api.on(/tenant$/, () => TENANT);
  await userEvent.click(screen.getByTestId(testIds.signInSubmit));
  await screen.findByTestId(testIds.tenant);
});

it("keeps showing the page of a key that was checked in an earlier visit", async () => {
  localStorage.setItem("logsieve.tenant", "demo");
  api.on(/tenant$/, isSilent);
  const passTime = watchLateness();
  const interval = vi.spyOn(globalThis, "setInterval");
  renderApp();
  await screen.findByTestId(testIds.tenant);
  await passTime();
  await passTime();
  await waitFor(() => expect(interval.mock.calls.some(([, delay]) => delay === 10_000)).toBe(true));
  expect(screen.getByTestId(testIds.tenant).textContent).toBe("demo");
});

// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

const RULE = sampleAlert();

let api: FakeApi;
let isRefused: boolean;
/** Keys of the requests that saved a rule. */
let savedWith: (string | null)[];

beforeEach(() => {
  isRefused = false;
  savedWith = [];
  api = installFakeApi();
  const answer = (key: string | null, body: unknown) =>
    isRefused && key === "demo-key" ? problem(401, "unauthenticated", "the key was revoked") : { body };
  api.on(/tenant$/, (_search, _path, key) =>
    answer(key, { name: key === "other-key" ? "other" : "demo", retention_days: 30 }),
  );
  api.on(/alerts$/, (_search, _path, key) => answer(key, { alerts: [RULE] }));
  api.on(/alerts\/\w+$/, (_search, _path, key) => {
    if (api.sent.at(-1)?.method === "PUT") savedWith.push(key);
    return answer(key, api.sent.at(-1)?.method === "PUT" ? RULE : { alert: RULE, groups: [] });
  });
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
});

/** Types a name into the form of a rule, and saves it with a key that was revoked meanwhile. */
async function saveUntilRefused() {
  const user = userEvent.setup();
  const app = renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  await user.type(await screen.findByTestId(testIds.alertName), " of May");
  isRefused = true;
  await user.click(screen.getByTestId(testIds.alertSubmit));
  const form = await screen.findByRole("dialog", { name: "Sign in again" });
  expect(within(form).getByTestId(testIds.error).textContent).toContain("was revoked or has expired");
  return { user, ...app };
}

const name = () => screen.queryByTestId<HTMLInputElement>(testIds.alertName);
const signIn = () => screen.queryByTestId(testIds.signInKey);

it("lets the user sign in again and go on with the typed text", async () => {
  const { user } = await saveUntilRefused();
  expect(document.title).toBe("Sign in · Logsieve");
  await user.type(screen.getByTestId(testIds.signInKey), "newer-key{Enter}");
  await waitFor(() => expect(signIn()).toBeNull());
  expect(document.title).toBe("Alerts · Logsieve");
  expect(name()?.value).toBe("Errors of May");
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await waitFor(() => expect(name()).toBeNull());
  expect(savedWith).toEqual(["demo-key", "newer-key"]);
});

it("goes on when another tab signs in to the same tenant, and not with a key of another tenant", async () => {
  await saveUntilRefused();
  const store = (newValue: string) =>
    act(() => window.dispatchEvent(new StorageEvent("storage", { key: "logsieve.query-key", newValue })));
  const checks = () => api.requests.filter((request) => request.endsWith("/tenant")).length;
  const before = checks();
  store("other-key");
  await waitFor(() => expect(checks()).toBe(before + 1));
  localStorage.setItem("logsieve.query-key", "newer-key");
  store("newer-key");
  await waitFor(() => expect(signIn()).toBeNull());
  expect(name()?.value).toBe("Errors of May");
  expect(screen.getByTestId(testIds.tenant).textContent).toBe("demo");
});

it("shows nothing of the page to another tenant", async () => {
  const { user, history } = await saveUntilRefused();
  await user.type(screen.getByTestId(testIds.signInKey), "other-key{Enter}");
  await waitFor(() => expect(screen.queryByTestId(testIds.tenant)?.textContent).toBe("other"));
  expect(name()).toBeNull();
  expect(history.location.href).not.toContain(RULE.id);
});

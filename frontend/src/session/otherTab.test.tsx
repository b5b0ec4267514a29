// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

const RULE = sampleAlert();

let api: FakeApi;
let isRefused: boolean;

beforeEach(() => {
  isRefused = false;
  api = installFakeApi();
  const answer = (key: string | null, body: unknown) =>
    isRefused && key === "demo-key" ? problem(401, "unauthenticated", "the key was revoked") : { body };
  api.on(/tenant$/, (_search, _path, key) =>
    answer(key, { name: key === "other-key" ? "other" : "demo", retention_days: 30 }),
  );
  api.on(/admin\/tenants$/, () => problem(401, "unauthenticated", "unknown key"));
  api.on(/alerts$/, (_search, _path, key) => answer(key, { alerts: [RULE] }));
  api.on(/alerts\/\w+$/, (_search, _path, key) =>
    answer(key, api.sent.at(-1)?.method === "PUT" ? RULE : { alert: RULE, groups: [] }),
  );
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
});

/** Returns the query keys that have been checked, in order. */
const checked = () =>
  api.sent
    .filter(({ url }) => url.endsWith("/api/v1/tenant"))
    .map(({ headers }) => headers.get("Authorization")?.replace("Bearer ", ""));

/** Does what another tab does that signs in to another tenant, or that signs out afterwards. */
function storeInOtherTab(key: string | null) {
  localStorage.removeItem("logsieve.tenant");
  if (key === null) localStorage.removeItem("logsieve.query-key");
  else localStorage.setItem("logsieve.query-key", key);
}

it.each([
  ["signed in to another tenant", "other-key"],
  ["signed out of another tenant", null],
])("stays signed in when an admin key is refused after another tab has %s", async (_, key) => {
  renderApp("/settings/keys");
  const field = await screen.findByTestId(testIds.adminKey);
  storeInOtherTab(key);
  const before = checked().length;
  await userEvent.type(field, "mistyped{Enter}");
  expect((await screen.findByTestId(testIds.adminMessage)).textContent).toContain("This key is unknown");
  await waitFor(() => expect(checked().slice(before)).toEqual(["demo-key"]));
  expect(screen.getByTestId(testIds.tenant).textContent).toBe("demo");
  expect(screen.queryByTestId(testIds.signInKey)).toBeNull();
  expect(localStorage.getItem("logsieve.query-key")).toBe(key);
});

it("does not go on with the key of another tab that has signed out before the key was checked", async () => {
  const { isHeld, release } = held();
  const user = userEvent.setup();
  renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  storeInOtherTab("newer-key");
  let isAnswered = false;
  api.on(/tenant$/, async (_search, _path, key) => {
    if (key === "newer-key") await isHeld;
    isAnswered ||= key === "newer-key";
    return key === "demo-key"
      ? problem(401, "unauthenticated", "the key was revoked")
      : { body: { name: "demo", retention_days: 30 } };
  });
  isRefused = true;
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await waitFor(() => expect(checked().at(-1)).toBe("newer-key"));
  storeInOtherTab(null);
  release();
  await waitFor(() => expect(isAnswered).toBe(true));
  // The page is still covered when the answer to a later request has arrived.
  await user.type(screen.getByTestId(testIds.signInKey), "newest-key{Enter}");
  await waitFor(() => expect(screen.queryByTestId(testIds.signInKey)).toBeNull());
  expect(sessionStorage.getItem("logsieve.query-key")).toBe("newest-key");
});

it("keeps the page of a refused key if another tab has signed in to another tenant", async () => {
  const user = userEvent.setup();
  renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  await user.type(await screen.findByTestId(testIds.alertName), " of May");
  storeInOtherTab("other-key");
  isRefused = true;
  await user.click(screen.getByTestId(testIds.alertSubmit));
  const field = await screen.findByTestId(testIds.signInKey);
  await waitFor(() => expect(checked().at(-1)).toBe("other-key"));
  await user.type(field, "newer-key{Enter}");
  await waitFor(() => expect(screen.queryByTestId(testIds.signInKey)).toBeNull());
  expect(screen.getByTestId<HTMLInputElement>(testIds.alertName).value).toBe("Errors of May");
  expect(screen.getByTestId(testIds.tenant).textContent).toBe("demo");
});

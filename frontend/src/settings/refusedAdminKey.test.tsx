// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleTenant } from "../testing/sampleTenant";

prepareBrowser();

let api: FakeApi;
let isRefused: boolean;
/** Admin keys of the requests that read the list of rules, in order. */
let lists: (string | null)[];

beforeEach(() => {
  sessionStorage.setItem("logsieve.admin-key", "first");
  isRefused = false;
  lists = [];
  api = installFakeApi();
  const answer = (key: string | null, body: unknown) =>
    isRefused && key === "first" ? problem(401, "unauthenticated", "the key was revoked") : { body };
  api.on(/admin\/tenants$/, (_search, _path, key) => answer(key, { tenants: [sampleTenant()] }));
  api.on(/body-redactions$/, (_search, _path, key) => answer(key, { redactions: [] }));
  api.on(/\/keys$/, (_search, _path, key) => answer(key, { keys: [] }));
  api.on(/attribute-rules/, (_search, path, key) => {
    if (path.endsWith("recommended")) {
      isRefused = true;
      return { body: { added: 1 } };
    }
    if (api.sent.at(-1)?.method === "GET") lists.push(key);
    return answer(key, { rules: [] });
  });
});

const unlock = async (user: UserEvent) => {
  await user.type(await screen.findByTestId(testIds.adminKey), "second{Enter}");
  await waitFor(() => expect(screen.queryByTestId(testIds.adminForm)).toBeNull());
};

it("keeps typed values of a section while another admin key is entered", async () => {
  const user = userEvent.setup();
  renderApp("/settings/attributes");
  await user.type(await screen.findByTestId(testIds.ruleName), "password");
  await user.click(screen.getByRole("button", { name: "Add recommended rules" }));
  // The key is refused when the list is read again.
  expect((await screen.findByTestId(testIds.adminMessage)).textContent).toContain("expired or been revoked");
  expect(screen.queryByRole("button", { name: "Add recommended rules" })).toBeNull();
  await unlock(user);
  expect(screen.getByTestId<HTMLInputElement>(testIds.ruleName).value).toBe("password");
  await waitFor(() => expect(lists.at(-1)).toBe("second"));
});

it("asks for another admin key when a change is refused, and keeps the typed values", async () => {
  const user = userEvent.setup();
  renderApp("/settings/attributes");
  await user.type(await screen.findByTestId(testIds.ruleName), "password");
  isRefused = true;
  await user.click(screen.getByTestId(testIds.ruleAdd));
  await unlock(user);
  expect(screen.getByTestId<HTMLInputElement>(testIds.ruleName).value).toBe("password");
});

it("sends no requests with a refused admin key from a section that is opened afterwards", async () => {
  const user = userEvent.setup();
  renderApp("/settings/keys");
  await screen.findByTestId(testIds.keyLabel);
  isRefused = true;
  await user.click(screen.getByTestId(testIds.keyCreate));
  await screen.findByTestId(testIds.adminKey);
  await user.click(screen.getByRole("link", { name: "Attribute policy" }));
  await screen.findByTestId(testIds.adminKey);
  await unlock(user);
  await screen.findByTestId(testIds.ruleName);
  await waitFor(() => expect(lists).toEqual(["second"]));
});

// @vitest-environment jsdom
import { EditorView } from "@codemirror/view";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const ADDRESS = "/?query=secret&from=now-1h&to=now";

let api: FakeApi;
let isRefused: boolean;
beforeEach(() => {
  isRefused = false;
  sessionStorage.setItem("logsieve.admin-key", "admin-key");
  localStorage.setItem("logsieve.query-history", JSON.stringify([["demo", ["secret"]]]));
  api = installFakeApi();
  api.on(/tenant$/, (_search, _path, key) => ({
    body: { name: key === "other-key" ? "other" : "demo", retention_days: 30 },
  }));
  api.on(/search$/, (_search, _path, key) =>
    isRefused && key === "demo-key"
      ? problem(401, "unauthenticated", "the key was revoked")
      : searchPage([sampleLog({ body: `found with ${key}` })]),
  );
});

const queries = () => localStorage.getItem("logsieve.query-history");
const signIn = async (key: string) => {
  await userEvent.type(await screen.findByTestId(testIds.signInKey), `${key}{Enter}`);
  await screen.findByText(`found with ${key}`);
};
const signOut = async () => {
  await userEvent.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
  await userEvent.click(await screen.findByTestId(testIds.signOut));
  await screen.findByTestId(testIds.signInKey);
};
/** Opens the search page and waits until the API refuses its query key. */
async function openUntilRefused(more = "") {
  const app = renderApp(ADDRESS + more);
  await screen.findByText("found with demo-key");
  isRefused = true;
  await userEvent.click(screen.getByTestId(testIds.refresh));
  await screen.findByTestId(testIds.signInKey);
  return app;
}
/** Returns the searches that were sent with this key. */
const searchesWith = (key: string) =>
  api.sent
    .filter(
      ({ headers, url }) => headers.get("Authorization") === `Bearer ${key}` && url.includes("/search?"),
    )
    .map(({ url }) => new URL(url).searchParams.get("query"));

it("forgets the admin key and all answers of a refused key, and keeps the search for the same tenant", async () => {
  api.on(/logs\/0a$/, () => ({ body: sampleLog({ id: "0a" }) }));
  const reads = () => api.requests.filter((request) => request.endsWith("/logs/0a")).length;
  const { history } = await openUntilRefused("&record=0a");
  expect(reads()).toBe(1);
  expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  expect(document.title).toBe("Sign in · Logsieve");
  await signIn("newer-key");
  expect(history.location.href).toBe(`${ADDRESS}&record=0a`);
  await waitFor(() => expect(reads()).toBe(2));
  expect(queries()).toContain("secret");
});

it("repeats the page of the list that the key before was refused for, and no loaded page", async () => {
  const cursors: (string | null)[] = [];
  api.on(/search$/, (search, _path, key) => {
    cursors.push(search.get("cursor"));
    if (!search.has("cursor")) return searchPage([sampleLog({ id: "01" })], "next");
    if (key === "demo-key") return problem(401, "unauthenticated", "the key was revoked");
    return searchPage([sampleLog({ id: "02", body: `found with ${key}` })]);
  });
  renderApp(ADDRESS);
  await signIn("newer-key");
  expect(screen.queryByTestId(testIds.error)).toBeNull();
  expect(cursors).toEqual([null, "next", "next"]);
});

it("forgets the search and the queries when another tenant signs in after a refused key", async () => {
  const { history } = await openUntilRefused();
  await signIn("other-key");
  expect(history.location.search).not.toContain("secret");
  expect(searchesWith("other-key")).not.toContain("secret");
  expect(queries()).not.toContain("secret");
});

it("offers the tenant's own queries, and keeps those of another tab's tenant", async () => {
  const stored = [
    ["demo", ["secret"]],
    ["other", ["own"]],
  ];
  localStorage.setItem("logsieve.query-history", JSON.stringify(stored));
  localStorage.setItem("logsieve.query-key", "other-key");
  renderApp("/?from=now-1h&to=now");
  await screen.findByText("found with other-key");
  const editor = EditorView.findFromDOM(screen.getByTestId(testIds.queryInput));
  act(() => editor?.focus());
  await userEvent.keyboard("{ArrowUp}{ArrowUp}");
  expect(editor?.state.doc.toString()).toBe("own");
  expect(queries()).toContain("secret");
});

it("forgets the admin key when the stored query key is refused as the page opens", async () => {
  api.on(/tenant$/, () => problem(401, "unauthenticated", "the key was revoked"));
  renderApp(ADDRESS);
  await screen.findByTestId(testIds.signInKey);
  expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
});

it("forgets the search when the user signs out, for all further users", async () => {
  const { history } = renderApp(`${ADDRESS}&record=01`);
  await screen.findByTestId(testIds.detail);
  await signOut();
  expect(history.location.href).toBe("/");
  await signIn("other-key");
  expect(searchesWith("other-key")).not.toContain("secret");
  expect(screen.queryByTestId(testIds.detail)).toBeNull();
});

it("keeps the search of a link that is opened before signing in", async () => {
  localStorage.removeItem("logsieve.query-key");
  const { history } = renderApp(ADDRESS);
  await signIn("other-key");
  expect(history.location.href).toBe(ADDRESS);
});

it("signs out with another page that used the same key, but not with one of another key", async () => {
  const tellSignOut = (newValue: string) =>
    act(() => window.dispatchEvent(new StorageEvent("storage", { key: "logsieve.signed-out", newValue })));
  // A page that the browser has set aside may still find the key that another page of its tab has removed.
  sessionStorage.setItem("logsieve.query-key", "demo-key");
  const { history } = renderApp(ADDRESS);
  await screen.findByText("found with demo-key");
  localStorage.removeItem("logsieve.query-key");
  tellSignOut("other-key");
  expect(screen.queryByTestId(testIds.signInKey)).toBeNull();
  expect(sessionStorage.getItem("logsieve.query-key")).toBe("demo-key");
  tellSignOut("demo-key");
  await screen.findByTestId(testIds.signInKey);
  expect(sessionStorage.getItem("logsieve.query-key")).toBeNull();
  expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  await waitFor(() => expect(history.location.href).toBe("/"));
});

it.each([
  ["remembered", "localStorage"],
  ["kept in the tab", "sessionStorage"],
] as const)("tells other pages that the user of a key that is %s has signed out", async (_, storage) => {
  localStorage.removeItem("logsieve.query-key");
  window[storage].setItem("logsieve.query-key", "demo-key");
  const stored = vi.spyOn(Storage.prototype, "setItem");
  renderApp(ADDRESS);
  await screen.findByText("found with demo-key");
  await signOut();
  expect(stored).toHaveBeenCalledWith("logsieve.signed-out", "demo-key");
  expect(localStorage.getItem("logsieve.signed-out")).toBeNull();
});

it("signs out the page's own key if another tab has stored another key since", async () => {
  renderApp(ADDRESS);
  await screen.findByText("found with demo-key");
  localStorage.setItem("logsieve.query-key", "other-key");
  localStorage.setItem("logsieve.tenant", "other");
  const stored = vi.spyOn(Storage.prototype, "setItem");
  await signOut();
  expect(stored).toHaveBeenCalledWith("logsieve.signed-out", "demo-key");
  expect(stored).not.toHaveBeenCalledWith("logsieve.signed-out", "other-key");
  expect(localStorage.getItem("logsieve.query-key")).toBe("other-key");
  expect(localStorage.getItem("logsieve.tenant")).toBe("other");
  // The page waits for a key. It does not show the logs of the other tab's tenant.
  await signIn("newer-key");
  expect(searchesWith("other-key")).toEqual([]);
});

it("stays signed out when a check of the key is answered after the sign-out", async () => {
  const { isHeld, release } = held();
  let isAnswered = false;
  api.on(/tenant$/, async (_search, _path, key) => {
    if (key === "demo-key") {
      await isHeld;
      isAnswered = true;
    }
    return { body: { name: "demo", retention_days: 30 } };
  });
  localStorage.setItem("logsieve.tenant", "demo");
  renderApp(ADDRESS);
  await screen.findByText("found with demo-key");
  await signOut();
  release();
  await waitFor(() => expect(isAnswered).toBe(true));
  await signIn("newer-key");
  expect(sessionStorage.getItem("logsieve.query-key")).toBe("newer-key");
});

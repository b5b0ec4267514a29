// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
});

describe("signing in", () => {
  beforeEach(() => {
    localStorage.clear();
  });

  it("shows a field for a key, refuses a wrong one and keeps a right one for the tab", async () => {
    api.on(/tenant$/, (_search, _path, key) =>
      key === "right" ? { body: { name: "acme", retention_days: 7 } } : problem(401, "unauthenticated", "no"),
    );
    renderApp();
    await screen.findByTestId(testIds.signInKey);
    expect(screen.getByTestId(testIds.signIn).textContent).toContain("Paste a query key of your tenant");
    await userEvent.type(screen.getByTestId(testIds.signInKey), "wrong{Enter}");
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("unknown");
    await userEvent.clear(screen.getByTestId(testIds.signInKey));
    await userEvent.type(screen.getByTestId(testIds.signInKey), "right{Enter}");
    expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("acme");
    expect(sessionStorage.getItem("logsieve.query-key")).toBe("right");
    expect(localStorage.getItem("logsieve.query-key")).toBeNull();
  });

  it("returns to the form, with the reason, when a key is revoked", async () => {
    sessionStorage.setItem("logsieve.query-key", "revoked-later");
    api.on(/search$/, () => problem(401, "unauthenticated", "the key was revoked"));
    renderApp();
    await screen.findByTestId(testIds.signInKey);
    expect(within(screen.getByTestId(testIds.signIn)).getByTestId(testIds.error).textContent).toBe(
      "The query key was revoked or has expired. Paste another query key of the tenant.",
    );
    expect(sessionStorage.getItem("logsieve.query-key")).toBeNull();
  });

  it("shows nothing of the tenant before to who signed out", async () => {
    localStorage.setItem("logsieve.query-key", "demo-key");
    api.on(/search$/, () => searchPage([sampleLog({ body: "of the tenant before" })]));
    renderApp();
    await screen.findByText("of the tenant before");
    await userEvent.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
    await userEvent.click(await screen.findByTestId(testIds.signOut));
    await screen.findByTestId(testIds.signInKey);
    expect(screen.queryByText("of the tenant before")).toBeNull();
    expect(localStorage.getItem("logsieve.query-key")).toBeNull();
  });
});

describe("a returning user", () => {
  beforeEach(() => {
    localStorage.setItem("logsieve.query-key", "demo-key");
    localStorage.setItem("logsieve.tenant", "demo");
  });

  it("sees the search before the key is checked", async () => {
    const tenant = openStream();
    api.on(/tenant$/, () => ({ body: null, lines: tenant.lines }));
    api.on(/search$/, () => searchPage([sampleLog({ body: "found at once" })]));
    renderApp();
    await screen.findByText("found at once");
    expect(api.requests.some((request) => request.includes("/tenant"))).toBe(true);
  });

  it("shows a field for a key when the stored one was revoked", async () => {
    api.on(/tenant$/, () => problem(401, "unauthenticated", "the key was revoked"));
    renderApp();
    await screen.findByTestId(testIds.signInKey);
    expect(screen.getByTestId(testIds.error).textContent).toContain("was revoked or has expired");
    expect(localStorage.getItem("logsieve.tenant")).toBeNull();
  });

  it("is remembered after the first visit, and forgotten by signing out", async () => {
    localStorage.removeItem("logsieve.tenant");
    renderApp();
    await waitFor(() => expect(localStorage.getItem("logsieve.tenant")).toBe("demo"));
    await userEvent.click(await screen.findByRole("button", { name: "Tenant demo, account menu" }));
    await userEvent.click(await screen.findByTestId(testIds.signOut));
    await screen.findByTestId(testIds.signInKey);
    expect(localStorage.getItem("logsieve.tenant")).toBeNull();
  });
});

describe("a tab whose key is refused after another tab signed in with a newer key", () => {
  it("takes the newer key over and keeps it stored", async () => {
    api.on(/search$/, () => searchPage([sampleLog({ body: "found before" })]));
    renderApp();
    await screen.findByText("found before");
    localStorage.setItem("logsieve.query-key", "newer-key");
    api.on(/search$/, (_search, _path, key) =>
      key === "newer-key"
        ? searchPage([sampleLog({ id: "02", body: "found with the newer key" })])
        : problem(401, "unauthenticated", "the key was revoked"),
    );
    await userEvent.click(screen.getByTestId(testIds.refresh));
    await screen.findByText("found with the newer key");
    expect(screen.queryByTestId(testIds.signInKey)).toBeNull();
    expect(localStorage.getItem("logsieve.query-key")).toBe("newer-key");
  });

  it("signs in with the newer key if the older one is refused when the page opens", async () => {
    api.on(/tenant$/, (_search, _path, key) => {
      if (key === "newer-key") return { body: { name: "demo", retention_days: 30 } };
      localStorage.setItem("logsieve.query-key", "newer-key");
      return problem(401, "unauthenticated", "the key was revoked");
    });
    renderApp();
    expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
    expect(localStorage.getItem("logsieve.query-key")).toBe("newer-key");
  });
});

describe("a sign-in link", () => {
  const open = () => window.history.replaceState(null, "", "/#sign-in=0a1b");

  beforeEach(() => {
    localStorage.clear();
    open();
  });

  it("signs in, and is no longer in the address", async () => {
    api.on(/ui\/session$/, () => ({ body: { tenant: "demo", query_key: "from-link" } }));
    renderApp();
    expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
    expect(location.hash).toBe("");
    expect(localStorage.getItem("logsieve.query-key")).toBe("from-link");
  });

  it("that was used before leads to the form, with the reason", async () => {
    api.on(/ui\/session$/, () => problem(401, "unauthenticated", "used before"));
    renderApp();
    await screen.findByTestId(testIds.signInKey);
    expect(screen.getByTestId(testIds.error).textContent).toContain("used before or has expired");
    expect(location.hash).toBe("");
  });

  it("that was used before does not sign out who has a key", async () => {
    localStorage.setItem("logsieve.query-key", "demo-key");
    api.on(/ui\/session$/, () => problem(401, "unauthenticated", "used before"));
    renderApp();
    expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
  });
});

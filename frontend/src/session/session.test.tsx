// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
});

describe("signing in", () => {
  beforeEach(() => {
    api.on(/ui\/session$/, () => ({ body: { tenant: null, query_key: null } }));
  });

  it("asks for a key, refuses a wrong one and keeps a right one for the tab", async () => {
    api.on(/tenant$/, (_search, _path, key) =>
      key === "right" ? { body: { name: "acme", retention_days: 7 } } : problem(401, "unauthenticated", "no"),
    );
    renderApp();
    await userEvent.type(await screen.findByTestId(testIds.signInKey), "wrong{Enter}");
    expect((await screen.findByTestId(testIds.error)).textContent).toContain("not known");
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
    expect(screen.getByTestId(testIds.error).textContent).toBe(
      "The query key is no longer accepted. Sign in again.",
    );
    expect(sessionStorage.getItem("logsieve.query-key")).toBeNull();
  });

  it("offers a demo stack's tenant again to who signed out, and shows nothing of the one before", async () => {
    api = installFakeApi();
    api.on(/search$/, () => searchPage([sampleLog({ body: "of the tenant before" })]));
    renderApp();
    await screen.findByText("of the tenant before");
    await userEvent.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
    await userEvent.click(await screen.findByTestId(testIds.signOut));
    const offer = await screen.findByTestId(testIds.signInOffer);
    expect(screen.queryByText("of the tenant before")).toBeNull();
    api.on(/search$/, () => searchPage([]));
    await userEvent.click(offer);
    expect((await screen.findByTestId(testIds.tenant)).textContent).toBe("demo");
    expect(await screen.findByTestId(testIds.empty)).toBeTruthy();
  });
});

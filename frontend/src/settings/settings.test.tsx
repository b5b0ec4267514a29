// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleTenant } from "../testing/sampleTenant";

prepareBrowser();

const CREATED = { id: "ab12", tenant: "demo", purpose: "ingest", key: "ls_ingest_ab12_5ec2e7" };

const tenant = (name: string) => sampleTenant({ name });

let api: FakeApi;
let names: string[];

beforeEach(() => {
  names = ["demo"];
  api = installFakeApi();
  api.on(/admin\/tenants$/, (_search, _path, key) =>
    key === "right"
      ? { body: { tenants: names.map(tenant) } }
      : problem(key === "query" ? 403 : 401, "unauthenticated", "no"),
  );
  api.on(/admin\/tenants\/demo\/keys$/, () => ({ body: { keys: [], ...CREATED } }));
});

async function unlock(key: string) {
  const user = userEvent.setup();
  await user.type(await screen.findByTestId(testIds.adminKey), `${key}{Enter}`);
  return user;
}

describe("the admin key", () => {
  it("has a field, is refused with the reason where it is none, and is kept in the tab", async () => {
    renderApp("/settings/keys");
    const user = await unlock("wrong");
    expect((await screen.findByTestId(testIds.adminMessage)).textContent).toContain("unknown");
    await user.clear(screen.getByTestId(testIds.adminKey));
    await unlock("query");
    await waitFor(() =>
      expect(screen.getByTestId(testIds.adminMessage).textContent).toContain("not an admin key"),
    );
    await user.clear(screen.getByTestId(testIds.adminKey));
    await unlock("right");
    await screen.findByRole("form", { name: "New key" });
    expect(sessionStorage.getItem("logsieve.admin-key")).toBe("right");
    expect(localStorage.getItem("logsieve.admin-key")).toBeNull();

    await user.click(screen.getByTestId(testIds.adminLock));
    await screen.findByTestId(testIds.adminForm);
    expect(screen.queryByTestId(testIds.adminMessage)).toBeNull();
    expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  });

  it("of another tenant is of no use here", async () => {
    names = ["other"];
    renderApp("/settings/keys");
    await unlock("right");
    expect((await screen.findByTestId(testIds.adminMessage)).textContent).toContain(
      "belongs to tenant other",
    );
    expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  });

  it("that was revoked is forgotten with the reason, and the session goes on", async () => {
    sessionStorage.setItem("logsieve.admin-key", "revoked");
    renderApp("/settings/keys");
    expect((await screen.findByTestId(testIds.adminMessage)).textContent).toContain(
      "expired or been revoked",
    );
    expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
    expect(screen.getByTestId(testIds.tenant).textContent).toBe("demo");
  });

  it("is forgotten at sign-out", async () => {
    sessionStorage.setItem("logsieve.admin-key", "right");
    const user = userEvent.setup();
    renderApp("/settings/keys");
    await screen.findByRole("form", { name: "New key" });
    await user.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
    await user.click(await screen.findByTestId(testIds.signOut));
    await screen.findByTestId(testIds.signInKey);
    expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  });

  it("that is checked late is not kept for the user who signs in next", async () => {
    const { isHeld, release } = held();
    api.on(/admin\/tenants$/, async () => {
      await isHeld;
      return { body: { tenants: [tenant("demo")] } };
    });
    renderApp("/settings/keys");
    const user = await unlock("right");
    await waitFor(() => expect(api.requests.at(-1)).toContain("admin"));
    await user.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
    await user.click(await screen.findByTestId(testIds.signOut));
    await screen.findByTestId(testIds.signInKey);
    release();
    await user.type(screen.getByTestId(testIds.signInKey), "next{Enter}");
    await screen.findByTestId(testIds.tenant);
    expect(sessionStorage.getItem("logsieve.admin-key")).toBeNull();
  });
});

describe("a new key", () => {
  it("leaves an empty form", async () => {
    sessionStorage.setItem("logsieve.admin-key", "right");
    const user = userEvent.setup();
    renderApp("/settings/keys");
    const label = await screen.findByTestId<HTMLInputElement>(testIds.keyLabel);
    await user.type(label, "checkout");
    await user.selectOptions(screen.getByTestId(testIds.keyPurpose), "admin");
    await user.click(screen.getByTestId(testIds.keyCreate));
    const revealed = await screen.findByTestId(testIds.keyRevealed);
    expect(revealed.querySelector("pre")?.dataset.wrapped).toBe("true");
    expect(label.value).toBe("");
    expect(screen.getByTestId<HTMLSelectElement>(testIds.keyPurpose).value).toBe("ingest");
  });

  it("is revealed once, until it was copied", async () => {
    sessionStorage.setItem("logsieve.admin-key", "right");
    const user = userEvent.setup();
    renderApp("/settings/keys");
    await user.click(await screen.findByTestId(testIds.keyCreate));
    expect((await screen.findByTestId(testIds.keyRevealed)).textContent).toContain(CREATED.key);
    await user.keyboard("{Escape}");
    expect(screen.getByTestId(testIds.keyRevealed).textContent).toContain(CREATED.key);
    await user.click(screen.getByTestId(testIds.keyRevealedClose));
    await waitFor(() => expect(screen.queryByTestId(testIds.keyRevealed)).toBeNull());
    expect(document.body.textContent).not.toContain(CREATED.key);
  });

  it("is revealed before the list is read again, and stays if that fails", async () => {
    sessionStorage.setItem("logsieve.admin-key", "right");
    const user = userEvent.setup();
    renderApp("/settings/keys");
    const create = await screen.findByTestId(testIds.keyCreate);
    let lists = 0;
    const { isHeld, release } = held();
    api.on(/admin\/tenants\/demo\/keys$/, async () => {
      if (api.sent.at(-1)?.method === "POST") return { body: CREATED };
      lists += 1;
      await isHeld;
      return problem(500, "internal", "the keys could not be read");
    });
    await user.click(create);
    expect((await screen.findByTestId(testIds.keyRevealed)).textContent).toContain(CREATED.key);
    await waitFor(() => expect(lists).toBe(1));
    release();
    await screen.findByText("The keys could not be read.");
    expect(screen.getByTestId(testIds.keyRevealed).textContent).toContain(CREATED.key);
  });
});

describe("limits", () => {
  it("are shown to a tenant's key, and changed by an operator's only", async () => {
    sessionStorage.setItem("logsieve.admin-key", "right");
    const { unmount } = renderApp("/settings/limits");
    const shown = await screen.findByTestId(testIds.limits);
    expect(within(shown).getByText("1.0 KB (1,000)")).toBeTruthy();
    expect(screen.queryByTestId(testIds.limitsSave)).toBeNull();
    unmount();
    names = ["_operator", "demo"];
    renderApp("/settings/limits");
    expect((await screen.findByTestId<HTMLButtonElement>(testIds.limitsSave)).disabled).toBe(true);
  });
});

it("reads the audit log after a change that is being saved", async () => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  names = ["_operator", "demo"];
  const read: string[] = [];
  const { isHeld: saving, release: finish } = held();
  api.on(/admin\/tenants\/demo$/, async () => {
    await saving;
    read.push("saved");
    return { body: { ...tenant("demo"), effective_within_seconds: 10 } };
  });
  api.on(/admin\/audit/, () => {
    read.push("audit");
    return { body: { entries: [], next_cursor: null } };
  });
  renderApp("/settings/limits");
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("Records per second"), "5000");
  await user.click(screen.getByTestId(testIds.limitsSave));
  await user.click(screen.getByRole("link", { name: "Audit log" }));
  await screen.findByRole("heading", { name: "Audit log" });
  finish();
  await screen.findByText("No changes are recorded.");
  expect(read[0]).toBe("saved");
});

it("shows rules that were added before the first list of rules arrived", async () => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  const { isHeld: first, release: answerFirst } = held();
  let lists = 0;
  const rule = { name: "password", is_prefix: false, action: "mask", tenant: "demo" };
  api.on(/attribute-rules$/, async () => {
    lists += 1;
    if (lists > 1) return { body: { rules: [rule] } };
    await first;
    return { body: { rules: [] } };
  });
  api.on(/attribute-rules\/recommended$/, () => ({ body: { added: 1 } }));
  renderApp("/settings/attributes");
  await userEvent.setup().click(await screen.findByRole("button", { name: "Add recommended rules" }));
  await screen.findByText("1 rule added.");
  answerFirst();
  expect((await screen.findByTestId(testIds.ruleRow)).textContent).toContain("password");
});

it("keeps the name of the next rule that is typed while the list is read", async () => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  const { isHeld, release } = held();
  const requests: string[] = [];
  api.on(/attribute-rules/, async (_search, path) => {
    requests.push(path);
    if (requests.length === 3) await isHeld;
    return { body: { rules: [], name: "password", is_prefix: false, action: "mask", tenant: "demo" } };
  });
  const user = userEvent.setup();
  renderApp("/settings/attributes");
  const name = await screen.findByTestId<HTMLInputElement>(testIds.ruleName);
  await waitFor(() => expect(requests).toHaveLength(1));
  await user.type(name, "password{Enter}");
  await waitFor(() => expect(requests).toHaveLength(3));
  await waitFor(() => expect(name.value).toBe(""));
  fireEvent.change(name, { target: { value: "token" } });
  release();
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>(testIds.ruleAdd).disabled).toBe(false));
  expect(name.value).toBe("token");
});

it("has a page for each of its sections only", async () => {
  renderApp("/settings/secrets");
  await screen.findByTestId(testIds.notFound);
});

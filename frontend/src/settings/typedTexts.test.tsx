// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleTenant } from "../testing/sampleTenant";

prepareBrowser();

const TIMES = { created_at: "2026-11-21T00:00:00Z", last_used_at: null, revoked_at: null, expires_at: null };
const KEY = { id: "ab12", purpose: "query", label: "checkout", ...TIMES };

let api: FakeApi;

beforeEach(() => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  api = installFakeApi();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [sampleTenant()] } }));
  api.on(/attribute-rules$/, () => ({ body: { rules: [] } }));
  api.on(/body-redactions$/, () => ({ body: { redactions: [] } }));
});

it("keeps a name that is typed while another rule is being added", async () => {
  const { isHeld, release } = held();
  api.on(/attribute-rules/, async () => {
    if (api.sent.at(-1)?.method === "PUT") await isHeld;
    return { body: { rules: [], name: "password", is_prefix: false, action: "mask", tenant: "demo" } };
  });
  const user = userEvent.setup();
  renderApp("/settings/attributes");
  const name = await screen.findByTestId<HTMLInputElement>(testIds.ruleName);
  await user.type(name, "password{Enter}");
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>(testIds.ruleAdd).disabled).toBe(true));
  await user.clear(name);
  await user.type(name, "token");
  release();
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>(testIds.ruleAdd).disabled).toBe(false));
  expect(name.value).toBe("token");
});

it("keeps the expression of a redaction while a built-in one is chosen, and does not send it", async () => {
  const sent: unknown[] = [];
  api.on(/body-redactions/, async () => {
    const request = api.sent.at(-1);
    if (request?.method === "PUT") sent.push([request.url, await request.clone().json()]);
    return { body: { redactions: [] } };
  });
  const user = userEvent.setup();
  renderApp("/settings/attributes");
  const choice = await screen.findByLabelText<HTMLSelectElement>("Redaction");
  const builtIn = choice.value;
  await user.selectOptions(choice, "");
  await user.type(screen.getByTestId(testIds.redactionName), "session");
  await user.type(screen.getByTestId(testIds.redactionExpression), "sid=a+");
  await user.selectOptions(choice, builtIn);
  expect(screen.queryByRole("textbox", { name: "RE2 expression" })).toBeNull();
  await user.click(screen.getByTestId(testIds.redactionAdd));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(JSON.stringify(sent)).not.toContain("sid=");
  await user.selectOptions(choice, "");
  expect(screen.getByTestId<HTMLInputElement>(testIds.redactionName).value).toBe("session");
  expect(screen.getByTestId<HTMLInputElement>(testIds.redactionExpression).value).toBe("sid=a+");
});

it("asks before Escape discards a label that was changed", async () => {
  api.on(/keys$/, () => ({ body: { keys: [KEY] } }));
  const user = userEvent.setup();
  renderApp("/settings/keys");
  await user.click(await screen.findByTestId(testIds.keyRelabel));
  await user.type(await screen.findByTestId(testIds.keyNewLabel), ", production");
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Keep editing" }));
  expect(screen.getByTestId<HTMLInputElement>(testIds.keyNewLabel).value).toBe("checkout, production");
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

let api: FakeApi;
let history: ReturnType<typeof renderApp>["history"];

beforeEach(() => {
  api = installFakeApi();
  api.on(/alerts$/, () => ({ body: { alerts: [] } }));
});

const name = () => screen.queryByTestId<HTMLInputElement>(testIds.alertName);

async function openForm() {
  const user = userEvent.setup();
  history = renderApp("/alerts").history;
  await user.click(await screen.findByTestId(testIds.alertNew));
  await screen.findByTestId(testIds.alertName);
  return user;
}

it("asks before Escape discards a rule that was edited", async () => {
  const user = await openForm();
  await user.type(screen.getByTestId(testIds.alertName), "Errors");
  await user.keyboard("{Escape}");
  await screen.findByTestId(testIds.dialogDiscard);
  await user.click(screen.getByRole("button", { name: "Keep editing" }));
  expect(screen.queryByTestId(testIds.dialogDiscard)).toBeNull();
  expect(name()?.value).toBe("Errors");

  await user.keyboard("{Escape}");
  await user.click(await screen.findByTestId(testIds.dialogDiscard));
  expect(name()).toBeNull();
});

it("asks before a click beside the form discards a rule that was edited", async () => {
  await openForm();
  await userEvent.type(screen.getByTestId(testIds.alertName), "Errors");
  const beside = document.querySelector("[role=dialog]")?.previousElementSibling ?? document.body;
  await userEvent.setup({ pointerEventsCheck: 0 }).click(beside);
  expect(await screen.findByTestId(testIds.dialogDiscard)).toBeTruthy();
  expect(name()?.value).toBe("Errors");
});

it("asks before another page discards a rule that was edited", async () => {
  const user = await openForm();
  await user.type(screen.getByTestId(testIds.alertName), "Errors");
  history.push("/get-started");
  await screen.findByTestId(testIds.dialogDiscard);
  await user.click(screen.getByRole("button", { name: "Keep editing" }));
  expect(name()?.value).toBe("Errors");
  expect(history.location.pathname).toBe("/alerts");

  history.push("/get-started");
  await user.click(await screen.findByTestId(testIds.dialogDiscard));
  await screen.findByTestId(testIds.getStarted);
});

it("opens the page of a new rule without a question", async () => {
  api.on(/alerts$/, () => ({ status: 201, body: sampleAlert() }));
  api.on(/alerts\/\w+$/, () => ({ body: { alert: sampleAlert(), groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  const user = await openForm();
  await user.type(screen.getByTestId(testIds.alertName), "Errors");
  await user.type(screen.getByTestId(testIds.alertDestination), "https://example.org");
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await screen.findByTestId(testIds.alertEdit);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

it("closes a form without changes at once", async () => {
  const user = await openForm();
  await user.keyboard("{Escape}");
  expect(name()).toBeNull();
  expect(screen.queryByTestId(testIds.dialogDiscard)).toBeNull();
});

it("leaves the user on the list if the rule is saved after the form was cancelled", async () => {
  const { isHeld, release } = held();
  let saved: readonly object[] = [];
  api.on(/alerts$/, async () => {
    if (api.sent.at(-1)?.method !== "POST") return { body: { alerts: saved } };
    await isHeld;
    saved = [sampleAlert()];
    return { status: 201, body: sampleAlert() };
  });
  const user = await openForm();
  await user.type(screen.getByTestId(testIds.alertName), "Errors");
  await user.type(screen.getByTestId(testIds.alertDestination), "https://example.org");
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("POST"));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(name()).toBeNull();

  release();
  expect((await screen.findByTestId(testIds.alertRow)).textContent).toContain("Errors");
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../../testIds";
import { type FakeApi, installFakeApi, problem } from "../../testing/fakeApi";
import { held } from "../../testing/held";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

const OPERATOR = sampleTenant({ name: "_operator" });

let api: FakeApi;

beforeEach(() => {
  sessionStorage.setItem("logsieve.admin-key", "right");
  api = installFakeApi();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [OPERATOR, sampleTenant()] } }));
});

it("keeps a saved retention, says when it takes effect, and saves it once", async () => {
  let saved = sampleTenant();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [OPERATOR, saved] } }));
  api.on(/admin\/tenants\/demo$/, () => {
    saved = { ...saved, cohort: "r14", retention_days: 14 };
    return { body: { ...saved, effective_within_seconds: 10 } };
  });
  renderApp("/settings/limits");
  const field = await screen.findByLabelText<HTMLInputElement>("Retention in days");
  const user = userEvent.setup();
  await user.clear(field);
  await user.type(field, "14");
  await user.click(screen.getByTestId(testIds.limitsSave));
  await screen.findByText("Saved. Takes effect within 10 s.");
  expect(screen.getByLabelText<HTMLInputElement>("Retention in days").value).toBe("14");
  expect(screen.getByTestId<HTMLButtonElement>(testIds.limitsSave).disabled).toBe(true);
  expect(document.body.textContent).toContain("cohort r30: where");
  expect(document.body.textContent).toContain("are stored in cohort r14.");
});

it("keeps a limit that is typed while another one is saved", async () => {
  const user = userEvent.setup();
  let stored = sampleTenant();
  const sent: unknown[] = [];
  const { isHeld, release } = held();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [OPERATOR, stored] } }));
  api.on(/admin\/tenants\/demo$/, async () => {
    const changes = (await api.sent.at(-1)?.json()) as { limits: object };
    sent.push(changes);
    await isHeld;
    stored = { ...stored, limits: { ...stored.limits, ...changes.limits } };
    return { body: { ...stored, effective_within_seconds: 10 } };
  });
  renderApp("/settings/limits");
  await user.type(await screen.findByLabelText("Records per second"), "5000");
  await user.click(screen.getByTestId(testIds.limitsSave));
  await waitFor(() => expect(sent).toHaveLength(1));
  await user.type(screen.getByLabelText("Partitions"), "16");
  release();
  const save = () => screen.getByTestId<HTMLButtonElement>(testIds.limitsSave);
  await waitFor(() => expect(save().disabled).toBe(false));
  expect(screen.getByLabelText<HTMLInputElement>("Records per second").value).toBe("5000");
  expect(screen.getByLabelText<HTMLInputElement>("Partitions").value).toBe("16");
  expect(screen.queryByText(/^Saved/)).toBeNull();

  await user.click(save());
  await screen.findByText("Saved. Takes effect within 10 s.");
  expect(sent).toEqual([{ limits: { records_per_second: 5000 } }, { limits: { partitions: 16 } }]);
});

it("stays if the tenant cannot be read again after a save", async () => {
  const user = userEvent.setup();
  api.on(/admin\/tenants\/demo$/, () => {
    api.on(/admin\/tenants$/, () => problem(500, "internal", "the tenant could not be read"));
    const limits = { ...sampleTenant().limits, partitions: 16 };
    return { body: { ...sampleTenant({ limits }), effective_within_seconds: 10 } };
  });
  renderApp("/settings/limits");
  await user.type(await screen.findByLabelText("Partitions"), "16");
  await user.click(screen.getByTestId(testIds.limitsSave));
  await screen.findByText("Saved. Takes effect within 10 s.");
  expect(screen.getByLabelText<HTMLInputElement>("Partitions").value).toBe("16");
});

it("shows a limit that was changed elsewhere when the section is opened again", async () => {
  const user = userEvent.setup();
  renderApp("/settings/limits");
  const partitions = () => screen.queryByLabelText<HTMLInputElement>("Partitions")?.value;
  await waitFor(() => expect(partitions()).toBe(""));
  await user.click(screen.getByRole("link", { name: "Usage" }));
  await waitFor(() => expect(partitions()).toBeUndefined());
  const changed = sampleTenant({ limits: { ...sampleTenant().limits, partitions: 16 } });
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [OPERATOR, changed] } }));
  await user.click(screen.getByRole("link", { name: "Limits and retention" }));
  await waitFor(() => expect(partitions()).toBe("16"));
});

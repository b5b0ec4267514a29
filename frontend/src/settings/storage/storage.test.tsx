// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { StorageReport } from "../../api/types";
import { testIds } from "../../testIds";
import { type FakeApi, installFakeApi } from "../../testing/fakeApi";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

const DEMO = sampleTenant({ limits: { ...sampleTenant().limits, bytes_per_second: null } });

const REPORT: StorageReport = {
  examined_at: "2026-11-24T06:00:00Z",
  target_percent: 90,
  guaranteed_bytes: 1_000_000_000,
  volumes: [],
  tenants: [
    {
      tenant: "demo",
      stored_bytes: 3_000_000_000,
      share_bytes: 2_000_000_000,
      daily_bytes: 100_000_000,
      oldest_day: "2026-11-01",
      kept_from: null,
      predicted_loss: {
        on: "2026-11-27",
        first_day: "2026-11-01",
        last_day: "2026-11-02",
        bytes: 200_000_000,
      },
    },
  ],
};

let api: FakeApi;

beforeEach(() => {
  api = installFakeApi();
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [DEMO] } }));
});

async function open() {
  renderApp("/settings/storage");
  await userEvent.setup().type(await screen.findByTestId(testIds.adminKey), "right{Enter}");
}

it("shows a tenant its share and what it will lose, without the servers", async () => {
  api.on(/admin\/storage$/, () => ({ body: REPORT }));
  await open();
  const row = await screen.findByTestId(testIds.storageTenant);
  expect(row.textContent).toBe(
    "demo3.0 GB2.0 GB100 MB2026-11-01by retention2026-11-01 to 2026-11-02 (200 MB) on 2026-11-27",
  );
  expect(screen.queryByTestId(testIds.storageVolume)).toBeNull();
});

const VOLUME = {
  server: "http://one:8123",
  total_bytes: 1_000_000_000_000,
  used_bytes: 930_000_000_000,
  used_percent: 93,
  log_bytes: 500_000_000_000,
  freed_later_bytes: 0,
  over_bytes: 30_000_000_000,
  target_reached_on: "2026-11-24",
};

it("shows an operator a volume without a known size, as S3 has none", async () => {
  const s3 = {
    ...VOLUME,
    total_bytes: 0,
    used_bytes: 0,
    used_percent: 0,
    over_bytes: 0,
    target_reached_on: null,
  };
  api.on(/admin\/storage$/, () => ({ body: { ...REPORT, volumes: [s3], tenants: [] } }));
  await open();
  const row = await screen.findByTestId(testIds.storageVolume);
  expect(row.textContent).toContain("unknownno limit500 GB");
});

it("shows an operator the disks of the servers, and bytes that nobody may lose", async () => {
  api.on(/admin\/storage$/, () => ({ body: { ...REPORT, volumes: [VOLUME], tenants: [] } }));
  await open();
  const row = await screen.findByTestId(testIds.storageVolume);
  expect(row.textContent).toContain("93 %");
  expect(row.textContent).toContain("30.0 GB above the target cannot be freed");
});

it("says that there is no report yet", async () => {
  const empty = { examined_at: null, target_percent: null, guaranteed_bytes: null, volumes: [], tenants: [] };
  api.on(/admin\/storage$/, () => ({ body: empty }));
  await open();
  await screen.findByText(/No loader has examined the disks yet/);
  expect(screen.queryByTestId(testIds.storageTenant)).toBeNull();
});

it("reads the report again when the section is opened again", async () => {
  let stored = 3_000_000_000;
  const [own] = REPORT.tenants;
  api.on(/admin\/storage$/, () => ({ body: { ...REPORT, tenants: [{ ...own, stored_bytes: stored }] } }));
  await open();
  const row = () => screen.queryByTestId(testIds.storageTenant)?.textContent;
  await waitFor(() => expect(row()).toContain("demo3.0 GB"));
  await userEvent.click(screen.getByRole("link", { name: "Usage" }));
  await waitFor(() => expect(row()).toBeUndefined());
  stored = 4_000_000_000;
  await userEvent.click(screen.getByRole("link", { name: "Storage" }));
  await waitFor(() => expect(row()).toContain("demo4.0 GB"));
});

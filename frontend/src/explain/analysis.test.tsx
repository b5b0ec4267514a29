// @vitest-environment jsdom
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Analysis, Explanation } from "../api/types";
import { setPreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

const INDEX = {
  name: "body_words",
  type: "tokenbf_v1",
  condition: "",
  parts_total: 2,
  parts_read: 1,
  granules_total: 40,
  granules_read: 3,
  bytes: 2048,
};

const STATEMENT = {
  shard: 0,
  reads: "page" as const,
  start: "2026-01-31T12:00:00.000000000Z",
  end: "2026-01-31T13:00:00.000000000Z",
  rows: 101,
  elapsed_ms: 7.5,
  answered_ms: 12,
  rows_read: 4096,
  bytes_read: 3_000_000,
  cpu_ms: 9.5,
  memory_bytes: 5_000_000,
  marks_total: 40,
  marks_read: 3,
  files_opened: 61,
  indexes: [INDEX],
};

beforeEach(() => setPreferences({ zone: "utc" }));

const EXPLANATION: Explanation = {
  query: "payment",
  ast: null,
  plan: "in_order",
  why: "an index answers the filter",
  scan: null,
  sql: "SELECT 1",
  shards: [0],
  second_phase_sql: null,
  parameters: {},
  indexes: [INDEX],
  analysis: null,
};

function answerExplain(analysis: Analysis) {
  const api = installFakeApi();
  api.on(/explain$/, (parameters) => ({
    body: { ...EXPLANATION, analysis: parameters.get("analyze") === "true" ? analysis : null },
  }));
  return () => api.requests.filter((request) => request.includes("analyze=true")).length;
}

it("reads the page only on request, and shows what each statement took", async () => {
  const analyzed = answerExplain({ elapsed_ms: 13, logs: 100, statements: [STATEMENT], unknown: null });
  renderApp("/?query=payment&explain=1");
  const section = within(await screen.findByTestId(testIds.analysis));
  expect(analyzed()).toBe(0);

  await userEvent.click(screen.getByTestId(testIds.analyze));

  expect(await section.findByText("100 logs in 13 ms")).toBeTruthy();
  const cells = within(section.getAllByRole("row")[1] as HTMLElement).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual([
    "12 ms (7.5 ms)",
    "9.5 ms",
    "4,096",
    "3.0 MB",
    "3 / 40",
    "61",
    "5.0 MB",
  ]);
  expect(analyzed()).toBe(1);
});

it("shows statements that read the same range of several tables", async () => {
  const failed = vi.spyOn(console, "error");
  const statements = [STATEMENT, STATEMENT];
  answerExplain({ elapsed_ms: 13, logs: 100, statements, unknown: null });
  renderApp("/?query=payment&explain=1");
  await userEvent.click(await screen.findByTestId(testIds.analyze));
  expect(await screen.findByText("Indexes of statement 2, which reads page")).toBeTruthy();
  expect(failed.mock.calls.filter(([text]) => String(text).includes("same key"))).toEqual([]);
  failed.mockRestore();
});

it("names the shard of each statement if there are several", async () => {
  const statements = [STATEMENT, { ...STATEMENT, shard: 1 }];
  answerExplain({ elapsed_ms: 13, logs: 100, statements, unknown: null });
  renderApp("/?query=payment&explain=1");
  await userEvent.click(await screen.findByTestId(testIds.analyze));

  const section = within(screen.getByTestId(testIds.analysis));
  expect(await section.findByText("from 2026-01-31 12:00:00 UTC, shard 1")).toBeTruthy();
  expect(section.getByText("from 2026-01-31 12:00:00 UTC, shard 0")).toBeTruthy();
});

it("says why numbers are missing", async () => {
  const bare = {
    ...STATEMENT,
    cpu_ms: null,
    memory_bytes: null,
    marks_total: null,
    marks_read: null,
    files_opened: null,
  };
  answerExplain({ elapsed_ms: 13, logs: 1, statements: [bare], unknown: "the log cannot be read" });
  renderApp("/?query=payment&explain=1");
  await userEvent.click(await screen.findByTestId(testIds.analyze));

  const section = within(screen.getByTestId(testIds.analysis));
  expect(await section.findByText("the log cannot be read")).toBeTruthy();
  expect(section.getByText("– / –")).toBeTruthy();
});

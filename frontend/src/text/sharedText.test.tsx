// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

/** Writes the text after it from right to left, also text of the page. */
const OVERRIDE = "\u202e";
const NAME = `gpj${OVERRIDE}.exe`;
const SHOWN = "gpj\\u202E.exe";

/** Returns the texts and attributes of the page in which the override acts. A sign hides the character that it shows. */
function acting(): string[] {
  return [...document.body.querySelectorAll("*")].flatMap((element) => {
    if (element.closest("[data-sign], [contenteditable]") !== null) return [];
    const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const attributes = ["title", "aria-label"].map((name) => element.getAttribute(name) ?? "");
    return [...texts.map(({ textContent }) => textContent ?? ""), ...attributes].filter((text) =>
      text.includes(OVERRIDE),
    );
  });
}

it("shows the signs of hidden characters in names and folders of views", async () => {
  const user = userEvent.setup();
  const listed = { id: "0123456789ab", name: NAME, folder: NAME, is_default: false, revision: 1 };
  const search = { query: "", start: "now-1h", end: "now", order: "desc", columns: [] };
  const api = installFakeApi();
  api.on(/views$/, () => ({ body: { views: [listed] } }));
  api.on(/views\/\w+$/, () => ({ body: { ...listed, ...search, chart_by: null, chart_kind: null } }));
  renderApp(`/?view=${listed.id}&from=now-1h`);
  await waitFor(() => expect(screen.getByTestId(testIds.views).title).toBe(`Saved view ${SHOWN}`));
  for (const [item, title] of [
    [testIds.viewSave, `Change view ${SHOWN}`],
    [testIds.viewDelete, `Delete view ${SHOWN}?`],
  ] as const) {
    await user.click(screen.getByTestId(testIds.views));
    await screen.findByTestId(testIds.viewItem);
    expect(acting()).toEqual([]);
    await user.click(screen.getByTestId(item));
    await screen.findByText(title);
    expect(acting()).toEqual([]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByText(title)).toBeNull());
  }
});

it("shows the signs of hidden characters in an alert rule", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  const channels = [{ kind: "slack", destination: NAME }];
  const alert = { ...sampleAlert({ name: NAME, query: `${OVERRIDE}a | stats count()` }), channels };
  api.on(/alerts\/\w+$/, () => ({ body: { alert, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  renderApp(`/alerts/${alert.id}`);
  await user.click(await screen.findByTestId(testIds.alertDelete));
  await screen.findByRole("alertdialog", { name: `Delete rule ${SHOWN}?` });
  expect(acting()).toEqual([]);
});

it("shows the signs of hidden characters in the proposed query of an empty search", async () => {
  const api = installFakeApi();
  const empty = searchPage([]).body as object;
  api.on(/search$/, () => ({ body: { ...empty, hints: [{ detail: "try it", query: NAME }] } }));
  renderApp("/?query=a");
  const hints = await screen.findByTestId(testIds.hints);
  expect(acting()).toEqual([]);
  expect(hints.querySelector("[data-sign]")).not.toBeNull();
});

it("shows the signs of hidden characters in the newest log of Get started", async () => {
  const api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog({ service: NAME, body: `${"a".repeat(299)}\u{1f600}` })]));
  renderApp("/get-started");
  await screen.findByText("This tenant has logs. The newest one:");
  expect(acting()).toEqual([]);
  expect(screen.getByTestId(testIds.arrival).textContent).toContain("a\ufffd");
});

it("shows the signs of hidden characters in the field of the chart", async () => {
  const api = installFakeApi();
  const series = [{ value: "1", total: 1, counts: [1] }];
  const buckets = [{ start: "2026-11-21T01:00:00.000000000Z", total: 1, severities: {} }];
  api.on(/histogram$/, () => ({ body: { interval_ns: 3_600_000_000_000, buckets, by: NAME, series } }));
  renderApp(`/?from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z&by=${encodeURIComponent(NAME)}`);
  const table = await screen.findByTestId(testIds.histogramTable);
  await waitFor(() => expect(table.textContent).toContain(SHOWN));
  expect(acting()).toEqual([]);
});

// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

const column = { type: "integer", error: null };

/** Numbers over time. Numbers over longer ranges than 5 minutes, and largest numbers, wait for `isHeld`. */
function fakeNumbers(isHeld = Promise.resolve()): FakeApi {
  const api = installFakeApi();
  api.on(/alerts$/, () => ({ body: { alerts: [] } }));
  api.on(/stats$/, async (search) => {
    const query = search.get("query") ?? "";
    const seconds = Number(/time\((\d+)s\)/.exec(query)?.[1]);
    const name = /\| stats (\S+)/.exec(query)?.[1];
    if (seconds > 300 || name === "max(ms)") await isHeld;
    if (query.includes("cont(")) return problem(400, "invalid_query", "cont is not a function");
    return {
      body: {
        query,
        start: "2026-11-21T00:00:00.000000000Z",
        end: "2026-11-21T00:10:00.000000000Z",
        columns: [
          { name: "service", kind: "field", ...column, unit: null },
          { name, kind: "function", ...column, unit: "records" },
        ],
        rows: [],
        other: null,
        interval_ns: seconds * 1e9,
        buckets: ["2026-11-21T00:00:00.000000000Z", "2026-11-21T00:05:00.000000000Z"],
        series: [{ kind: "group", group: ["web"], values: [[3, 8]] }],
        groups: { found: 1, shown: 1, complete: true },
        left_out: null,
        cost: { elapsed_ms: 1, rows_read: 1, bytes_read: 1, statements: 1 },
      },
    };
  });
  return api;
}

const queries = (api: FakeApi) =>
  api.requests
    .filter((each) => /stats\?/.test(each))
    .map((each) => new URLSearchParams(each.split("?")[1]).get("query"));

it("draws the rule's numbers with its threshold, and reads them again for another query only", async () => {
  const user = userEvent.setup();
  const api = fakeNumbers();
  renderApp("/alerts");
  await user.click(await screen.findByTestId(testIds.alertNew));
  const preview = await screen.findByTestId(testIds.alertPreview);
  expect(queries(api)).toEqual(["severity:>=error | stats count() by service, time(300s)"]);
  expect(preview.textContent).toContain("count() (records) in each 5 minutes of the last 4 hours.");
  expect(within(preview).getByText("web")).toBeTruthy();
  expect(within(preview).queryByRole("button")).toBeNull();

  await user.clear(screen.getByTestId(testIds.alertThreshold));
  await user.type(screen.getByTestId(testIds.alertThreshold), "7.5");
  await waitFor(() => expect(preview.textContent).toContain("The dashed line is the threshold, 7.5."));

  const query = screen.getByTestId(testIds.alertQuery);
  fireEvent.change(query, { target: { value: "error | stats cont()" } });
  expect(await screen.findByText("Cont is not a function.")).toBeTruthy();
  expect(queries(api)).toHaveLength(2);
  fireEvent.change(query, { target: { value: "error" } });
  expect(await screen.findByText("The preview needs a query with | stats.")).toBeTruthy();
});

it("draws the threshold that was typed before when the comparison has one again", async () => {
  const user = userEvent.setup();
  const api = fakeNumbers();
  api.on(/alerts\/\w+$/, () => ({ body: { alert: sampleAlert(), groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  renderApp(`/alerts/${sampleAlert().id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  const preview = await screen.findByTestId(testIds.alertPreview);
  await waitFor(() => expect(preview.textContent).toContain("The dashed line is the threshold, 5."));
  await user.clear(screen.getByTestId(testIds.alertThreshold));
  await user.type(screen.getByTestId(testIds.alertThreshold), "6");
  await user.selectOptions(screen.getByLabelText("is"), "no_data");
  await waitFor(() => expect(preview.textContent).not.toContain("The dashed line"));
  await user.selectOptions(screen.getByLabelText("is"), ">");
  await waitFor(() => expect(preview.textContent).toContain("The dashed line is the threshold, "));
  expect(preview.textContent).toContain("The dashed line is the threshold, 6.");
});

it("names a function that the query does not have", async () => {
  const user = userEvent.setup();
  fakeNumbers();
  renderApp("/alerts");
  await user.click(await screen.findByTestId(testIds.alertNew));
  await screen.findByTestId(testIds.alertPreview);
  fireEvent.change(screen.getByLabelText("Fires if the column"), { target: { value: "max(ms)" } });
  expect(await screen.findByText("The query has no function max(ms).")).toBeTruthy();
});

it("says that numbers are those of the range before the change until others arrive", async () => {
  const user = userEvent.setup();
  const { isHeld, release } = held();
  fakeNumbers(isHeld);
  renderApp("/alerts");
  await user.click(await screen.findByTestId(testIds.alertNew));
  const text = async () => (await screen.findByTestId(testIds.alertPreview)).textContent;
  expect(await text()).toContain("in each 5 minutes of the last 4 hours");
  await user.selectOptions(screen.getByLabelText("Length of the evaluated range"), "3600");
  await screen.findByText(/^Computing\. Before the last change: count\(\) \(records\) in each 5 minutes/);

  release();
  await waitFor(async () => expect(await text()).toContain("in each 1 hour of the last 2 days"));
  expect(await text()).not.toContain("Computing");
});

it("names no missing function until the numbers of the changed query arrive", async () => {
  const user = userEvent.setup();
  const { isHeld, release } = held();
  const api = fakeNumbers(isHeld);
  renderApp("/alerts");
  await user.click(await screen.findByTestId(testIds.alertNew));
  await screen.findByTestId(testIds.alertPreview);
  fireEvent.change(screen.getByTestId(testIds.alertQuery), { target: { value: "error | stats max(ms)" } });
  fireEvent.change(screen.getByLabelText("Fires if the column"), { target: { value: "max(ms)" } });
  // Before the changed query is sent, and while the API computes its numbers.
  expect(screen.getByText("Computing…")).toBeTruthy();
  await waitFor(() => expect(queries(api).at(-1)).toContain("max(ms)"));
  expect(screen.getByText("Computing…")).toBeTruthy();

  release();
  expect((await screen.findByTestId(testIds.alertPreview)).textContent).toContain("max(ms)");
});

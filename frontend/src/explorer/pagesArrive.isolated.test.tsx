// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { COUNTING, HISTOGRAM, installFakeApi, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

const drawn = vi.hoisted(() => ({ fields: 0, chart: 0 }));
vi.mock("../facets/FieldBrowser", () => ({
  FieldBrowser: ({ list }: { list: { data: unknown } }) => {
    drawn.fields += 1;
    return list.data === undefined ? null : <b>fields</b>;
  },
}));
vi.mock("../histogram/HistogramTable", () => ({
  HistogramTable: () => {
    drawn.chart += 1;
    return <b>chart</b>;
  },
}));

prepareBrowser();

it("draws neither fields nor chart anew when the next page of rows arrives", async () => {
  const { isHeld: answered, release: answerNext } = held();
  const api = installFakeApi();
  api.on(/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields: [] } }));
  api.on(/logs\/histogram$/, () => HISTOGRAM);
  api.on(/logs\/search$/, async (query) => {
    if (!query.has("cursor")) return searchPage([sampleLog({ id: "01" })], "next");
    await answered;
    return searchPage([sampleLog({ id: "02" })]);
  });
  renderApp();
  await screen.findByText("fields");
  await screen.findByText("chart");
  await waitFor(() => expect(api.requests.some((path) => path.includes("cursor=next"))).toBe(true));
  const before = { ...drawn };
  answerNext();
  await waitFor(() => expect(screen.getAllByTestId(testIds.resultRow)).toHaveLength(2));
  expect(drawn).toEqual(before);
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

it("reads a trace again when it is opened again, because logs of it may have arrived", async () => {
  const first = sampleLog({ id: "01", trace_id: TRACE });
  const second = sampleLog({ id: "02", trace_id: TRACE, timestamp: "2026-11-21T01:02:04.000000000Z" });
  let logs = [first];
  const api = installFakeApi();
  api.on(/search$/, () => searchPage(logs));
  const { history } = renderApp(`/trace/${TRACE}`);
  expect(await screen.findAllByTestId(testIds.traceRow)).toHaveLength(1);

  history.push("/settings");
  await screen.findByTestId(testIds.settings);
  logs = [first, second];
  history.push(`/trace/${TRACE}`);
  await waitFor(() => expect(screen.getAllByTestId(testIds.traceRow)).toHaveLength(2));
});

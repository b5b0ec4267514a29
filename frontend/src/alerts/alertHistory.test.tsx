// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

it("lists two changes of a rule at the same time", async () => {
  const errors = vi.spyOn(console, "error");
  const rule = sampleAlert({});
  const change = {
    at: "2026-11-21T00:00:00.000000000Z",
    group: null,
    before: "error",
    after: "firing",
    value: null,
  };
  const details = [
    "",
    "notices left out: 2, because 1,000 notices of the tenant wait to be sent, the largest number allowed",
  ];
  const api = installFakeApi();
  api.on(/alerts\/\w+$/, () => ({ body: { alert: rule, groups: [] } }));
  api.on(/history$/, () => ({
    body: { events: details.map((detail) => ({ ...change, detail })), notices: [] },
  }));
  renderApp(`/alerts/${rule.id}`);
  const rows = await screen.findAllByTestId(testIds.alertEvent);
  expect(rows.map((row) => row.lastChild?.textContent)).toEqual(details);
  // React warns about rows with the same key, because it may repeat or omit them in later updates.
  expect(errors.mock.calls.flat().join()).not.toContain("same key");
});

// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

it.each<[until: string, isMuted: boolean]>([
  ["2020-01-01T00:00:00.000000000Z", false],
  ["2999-01-01T00:00:00.000000000Z", true],
])("shows whether a mute until %s has ended", async (until, isMuted) => {
  const rule = sampleAlert({ muted_until: until });
  const api = installFakeApi();
  api.on(/alerts$/, () => ({ body: { alerts: [rule] } }));
  api.on(/alerts\/\w+$/, () => ({ body: { alert: rule, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  const { history } = renderApp("/alerts");
  const row = await screen.findByTestId(testIds.alertRow);
  expect(row.textContent?.includes("muted")).toBe(isMuted);

  history.push(`/alerts/${rule.id}`);
  const button = await screen.findByTestId(testIds.alertMute);
  expect(button.textContent).toBe(isMuted ? "Unmute" : "Mute");
  expect(screen.getByTestId(testIds.alerts).textContent?.includes("Muted until")).toBe(isMuted);
});

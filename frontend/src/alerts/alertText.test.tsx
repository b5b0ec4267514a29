// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";
import { rangeOfSeconds } from "./alertText";

prepareBrowser();

it.each([
  [86_400, "now-1d"],
  [172_800, "now-2d"],
  [90_000, "now-25h"],
  [300, "now-5m"],
  [90, "now-90s"],
])("writes the range of %d seconds in its largest whole unit", (seconds, from) => {
  expect(rangeOfSeconds(seconds)).toEqual({ from, to: "now" });
});

it("links to a rule's numbers over the range that the rule evaluates", async () => {
  const rule = sampleAlert({ range_seconds: 86_400 });
  const api = installFakeApi();
  api.on(/alerts\/\w+$/, () => ({ body: { alert: rule, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  renderApp(`/alerts/${rule.id}`);
  const link = await screen.findByRole("link", { name: "show its numbers" });
  expect(link.getAttribute("href")).toContain("&from=now-1d&to=now");
});

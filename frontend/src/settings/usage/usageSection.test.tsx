// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../../testIds";
import { installFakeApi } from "../../testing/fakeApi";
import { held } from "../../testing/held";
import { prepareBrowser, renderApp } from "../../testing/renderApp";

prepareBrowser();

/** Returns the first and the last day of the chart. */
function shownDays(): readonly (string | undefined)[] {
  const text = screen.getByTestId(testIds.usageChart).textContent ?? "";
  return /(\d{4}-\d\d-\d\d)(\d{4}-\d\d-\d\d) \(today\)/.exec(text)?.slice(1) ?? [];
}

it("shows the days of the range before until another range is read", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  const answer = { body: { interval: "day", usage: [], totals: [] } };
  const { isHeld, release } = held();
  api.on(/usage$/, () => answer);
  renderApp("/settings/usage");
  await screen.findByTestId(testIds.usageChart);
  const before = shownDays();
  expect(before).toHaveLength(2);

  api.on(/usage$/, async () => {
    await isHeld;
    return answer;
  });
  const button = screen.getByRole("button", { name: "90 days" });
  await user.click(button);
  await waitFor(() => expect(button.getAttribute("aria-pressed")).toBe("true"));
  expect(shownDays()).toEqual(before);
  release();
  await waitFor(() => expect(shownDays()[0]).not.toBe(before[0]));
  expect(shownDays()[1]).toBe(before[1]);
});

// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

const RULE = sampleAlert();
const CHANGED = sampleAlert({ name: "Changed by a colleague", revision: 2 });

it("replaces only the rule that the form shows, until it has reported another change", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  api.on(/alerts$/, () => ({ body: { alerts: [RULE] } }));
  api.on(/alerts\/\w+$/, () => ({ body: { alert: RULE, groups: [] } }));
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  const { history } = renderApp(`/alerts/${RULE.id}`);
  await screen.findByTestId(testIds.alertEdit);
  history.push("/alerts");
  await screen.findByTestId(testIds.alertRow);

  const revisions: number[] = [];
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  api.on(/alerts\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") {
      await isHeld;
      return { body: { alert: CHANGED, groups: [] } };
    }
    const { revision } = (await request.json()) as { revision: number };
    revisions.push(revision);
    return revision === 2 ? { body: CHANGED } : problem(409, "revision_conflict", "it has revision 2");
  });
  history.push(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  release();
  await screen.findByText("Changed by a colleague");
  expect(screen.getByTestId<HTMLInputElement>(testIds.alertName).value).toBe("Errors");

  await user.click(screen.getByTestId(testIds.alertSubmit));
  expect(await screen.findByText(/revision 2/)).toBeTruthy();
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await screen.findByTestId(testIds.alertEdit);
  expect(revisions).toEqual([1, 2]);
});

// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, problem } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleAlert } from "../testing/sampleAlert";

prepareBrowser();

/** A rule with lengths that are not in the form's lists, because they were set over the API. */
const RULE = sampleAlert({ range_seconds: 7_200, interval_seconds: 600, for_seconds: 1_800 });
const CHANGED = sampleAlert({
  name: "Changed by a colleague",
  revision: 2,
  condition: { column: "count()", comparison: ">", threshold: 9 },
});

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

  const sent: { revision: number }[] = [];
  const { isHeld, release } = held();
  api.on(/alerts\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") {
      await isHeld;
      return { body: { alert: CHANGED, groups: [] } };
    }
    const members = (await request.json()) as { revision: number };
    sent.push(members);
    return members.revision === 2
      ? { body: CHANGED }
      : problem(409, "revision_conflict", "read the rule again");
  });
  history.push(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertEdit));
  release();
  await screen.findByText("Changed by a colleague");
  expect(screen.getByTestId<HTMLInputElement>(testIds.alertName).value).toBe("Errors");
  for (const comparison of ["no_data", ">"])
    await user.selectOptions(screen.getByLabelText("is"), comparison);
  expect(screen.getByTestId<HTMLInputElement>(testIds.alertThreshold).value).toBe("5");

  await user.click(screen.getByTestId(testIds.alertSubmit));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This rule was changed meanwhile, by another user or in another tab. Save again to replace that change, or cancel to keep it.",
  );
  await user.click(screen.getByTestId(testIds.alertSubmit));
  await screen.findByTestId(testIds.alertEdit);
  const lengths = { range_seconds: 7_200, interval_seconds: 600, for_seconds: 1_800 };
  expect(sent).toMatchObject([
    { ...lengths, revision: 1 },
    { ...lengths, revision: 2 },
  ]);
});

it("reports a change by another user before it deletes the rule", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  const deleted: (string | null)[] = [];
  api.on(/alerts$/, () => ({ body: { alerts: [] } }));
  api.on(/alerts\/\w+$/, (search) => {
    if (api.sent.at(-1)?.method !== "DELETE") {
      return { body: { alert: deleted.length === 0 ? RULE : CHANGED, groups: [] } };
    }
    deleted.push(search.get("revision"));
    return deleted.length === 1 ? problem(409, "revision_conflict", "read the rule again") : { body: null };
  });
  api.on(/history$/, () => ({ body: { events: [], notices: [] } }));
  renderApp(`/alerts/${RULE.id}`);
  await user.click(await screen.findByTestId(testIds.alertDelete));
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This rule was changed meanwhile, by another user or in another tab. Delete again to delete it anyway.",
  );
  await user.click(screen.getByTestId(testIds.alertDeleteConfirm));
  await screen.findByTestId(testIds.alertNew);
  expect(deleted).toEqual(["1", "2"]);
});

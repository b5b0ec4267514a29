// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

/** Returns this number of records, whose ids begin at a number. */
function logsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, place) => sampleLog({ id: (first + place).toString(16) }));
}

const MIDDLE = sampleLog({ id: "1000" });

it("keeps the earlier records that are being read when later ones are requested", async () => {
  const { isHeld, release } = held();
  const api = installFakeApi();
  api.on(/logs\/[0-9a-f]+$/, () => ({ body: MIDDLE }));
  api.on(/context$/, async (search) => {
    const [before, after] = [Number(search.get("before")), Number(search.get("after"))];
    // The first answer has ten records on each side, the next ones 25 on one side.
    const [earlier, later] = [logsFrom(before === 10 ? 500 : 100, before), logsFrom(5_000 + after, after)];
    if (before > 10) await isHeld;
    const answer = { log: MIDDLE, before: earlier, after: later, searched_from: "", searched_to: "" };
    return { body: { ...answer, complete_before: true, complete_after: true } };
  });
  const user = userEvent.setup();
  renderApp(`/?record=${MIDDLE.id}&context=all`);
  const rows = () => screen.getAllByTestId(testIds.contextRow).length;
  const later = () => screen.getByTestId<HTMLButtonElement>(testIds.contextLater);
  await user.click(await screen.findByTestId(testIds.contextEarlier));
  await user.click(later());
  release();
  await waitFor(() => expect(rows()).toBe(10 + 1 + 10 + 25));
  await waitFor(() => expect(later().disabled).toBe(false));
  expect(api.requests.filter((request) => request.includes("context")).length).toBe(2);

  await user.click(later());
  await waitFor(() => expect(rows()).toBe(10 + 1 + 10 + 25 + 25));
});

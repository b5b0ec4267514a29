// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { setPreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

/** Returns this number of records, whose ids begin at a number. */
function logsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, place) => sampleLog({ id: (first + place).toString(16) }));
}

const MIDDLE = sampleLog({ id: "1000" });

/** Answers with records around MIDDLE: ten on each side first, then 25 on one side. */
function answerContext(search: URLSearchParams) {
  const [before, after] = [Number(search.get("before")), Number(search.get("after"))];
  const [earlier, later] = [logsFrom(before === 10 ? 500 : 100, before), logsFrom(5_000 + after, after)];
  const answer = { log: MIDDLE, before: earlier, after: later, searched_from: "", searched_to: "" };
  return { body: { ...answer, complete_before: true, complete_after: true } };
}

it("keeps the earlier records that are being read when later ones are requested", async () => {
  const { isHeld, release } = held();
  const api = installFakeApi();
  api.on(/logs\/[0-9a-f]+$/, () => ({ body: MIDDLE }));
  api.on(/context$/, async (search) => {
    if (Number(search.get("before")) > 10) await isHeld;
    return answerContext(search);
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

it("shows the date of records of another day", async () => {
  const api = installFakeApi();
  const [before, middle] = ["2026-11-20T23:59:58.5Z", "2026-11-21T00:00:01.25Z"].map((timestamp, place) =>
    sampleLog({ id: `a${place}`, timestamp }),
  );
  api.on(/logs\/[0-9a-f]+$/, () => ({ body: middle }));
  api.on(/context$/, () => ({
    body: {
      ...{ log: middle, before: [before], after: [] },
      ...{ searched_from: "", searched_to: "", complete_before: true, complete_after: true },
    },
  }));
  setPreferences({ zone: "utc" });
  renderApp("/?record=a1&context=all");
  const rows = await screen.findAllByTestId(testIds.contextRow);
  expect(rows.map((row) => row.firstElementChild?.textContent)).toEqual([
    "Nov 20 23:59:58.500",
    "00:00:01.250",
  ]);
});

it("keeps its records when the user signs in again with another key", async () => {
  const api = installFakeApi();
  let isRefused = false;
  const searchKeys: (string | null)[] = [];
  api.on(/logs\/[0-9a-f]+$/, () => ({ body: MIDDLE }));
  api.on(/context$/, answerContext);
  api.on(/search$/, (_search, _path, key) => {
    searchKeys.push(key);
    if (isRefused && key === "demo-key") return problem(401, "unauthenticated", "the key was revoked");
    return searchPage([MIDDLE]);
  });
  const user = userEvent.setup();
  renderApp(`/?record=${MIDDLE.id}&context=all`);
  const rows = () => screen.getAllByTestId(testIds.contextRow).length;
  await user.click(await screen.findByTestId(testIds.contextEarlier));
  await waitFor(() => expect(rows()).toBe(25 + 10 + 1 + 10));
  isRefused = true;
  await user.click(screen.getByTestId(testIds.refresh));
  await user.type(await screen.findByTestId(testIds.signInKey), "newer-key{Enter}");
  await waitFor(() => expect(searchKeys.at(-1)).toBe("newer-key"));
  await waitFor(() => expect(screen.queryByTestId(testIds.signInKey)).toBeNull());
  expect(rows()).toBe(25 + 10 + 1 + 10);
  expect(screen.getByTestId<HTMLButtonElement>(testIds.contextLater).disabled).toBe(false);
  expect(api.requests.filter((request) => request.includes("context")).length).toBe(2);
});

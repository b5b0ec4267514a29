// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { type FakeApi, installFakeApi, problem, searchPage } from "../testing/fakeApi";
import { held } from "../testing/held";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const LISTED = { id: "0123456789ab", name: "Errors", folder: "", is_default: false, revision: 1 };
const SEARCH = { start: "now-1h", end: "now", order: "desc", columns: [], chart_by: null, chart_kind: null };
const VIEW = { ...LISTED, ...SEARCH, query: "error" };
const CHANGED = { ...VIEW, revision: 2 };

let api: FakeApi;
let view: typeof VIEW;

beforeEach(() => {
  view = VIEW;
  api = installFakeApi();
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/views$/, () => ({ body: { views: [LISTED] } }));
  api.on(/views\/\w+$/, () => ({ body: view }));
});

const name = () => screen.queryByTestId<HTMLInputElement>(testIds.viewName);

/** Opens a saved view, and then the dialog behind an item of the menu of views. */
async function openDialog(item: string) {
  const user = userEvent.setup();
  renderApp(`/?view=${VIEW.id}`);
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Errors"));
  await user.click(screen.getByTestId(testIds.views));
  await user.click(await screen.findByTestId(item));
  return user;
}

it("asks before a click beside the dialog or Escape discards a name that was edited", async () => {
  const user = await openDialog(testIds.viewSave);
  await user.type(await screen.findByTestId(testIds.viewName), " of May");
  const beside = document.querySelector("[role=dialog]")?.previousElementSibling ?? document.body;
  await userEvent.setup({ pointerEventsCheck: 0 }).click(beside);
  await screen.findByTestId(testIds.dialogDiscard);
  await user.click(screen.getByRole("button", { name: "Keep editing" }));
  expect(name()?.value).toBe("Errors of May");

  await user.keyboard("{Escape}");
  await user.click(await screen.findByTestId(testIds.dialogDiscard));
  expect(name()).toBeNull();
});

it("closes without a question if nothing was edited", async () => {
  const user = await openDialog(testIds.viewSave);
  await screen.findByTestId(testIds.viewName);
  await user.keyboard("{Escape}");
  expect(name()).toBeNull();
  expect(screen.queryByTestId(testIds.dialogDiscard)).toBeNull();
});

it("reports a change by another user, and replaces it if the user saves again", async () => {
  const revisions: number[] = [];
  api.on(/views\/\w+$/, async () => {
    const request = api.sent.at(-1);
    if (request?.method !== "PUT") return { body: view };
    const { revision } = (await request.json()) as { revision: number };
    revisions.push(revision);
    view = CHANGED;
    return revision === 2
      ? { body: { ...CHANGED, revision: 3 } }
      : problem(409, "revision_conflict", "read the view again, then repeat your change");
  });
  const user = await openDialog(testIds.viewSave);
  await user.click(await screen.findByTestId(testIds.viewSubmit));
  expect((await screen.findByTestId(testIds.viewMessage)).textContent).toBe(
    "This view was changed meanwhile, by another user or in another tab. Save again to replace that change, or cancel to keep it.",
  );
  await user.click(screen.getByTestId(testIds.viewSubmit));
  await waitFor(() => expect(name()).toBeNull());
  expect(revisions).toEqual([1, 2]);
});

it("reports a change by another user before it deletes the view", async () => {
  const deleted: (string | null)[] = [];
  api.on(/views\/\w+$/, (search) => {
    if (api.sent.at(-1)?.method !== "DELETE") return { body: view };
    deleted.push(search.get("revision"));
    view = CHANGED;
    return deleted.length === 1 ? problem(409, "revision_conflict", "read it again") : { body: null };
  });
  const user = await openDialog(testIds.viewDelete);
  await user.click(await screen.findByTestId(testIds.viewDeleteConfirm));
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This view was changed meanwhile, by another user or in another tab. Delete again to delete it anyway.",
  );
  await user.click(screen.getByTestId(testIds.viewDeleteConfirm));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(deleted).toEqual(["1", "2"]);
});

it("is not closed by Escape while it is saved", async () => {
  const { isHeld, release: answer } = held();
  api.on(/views\/\w+$/, async () => {
    if (api.sent.at(-1)?.method === "PUT") await isHeld;
    return { body: view };
  });
  const user = await openDialog(testIds.viewSave);
  await user.type(await screen.findByTestId(testIds.viewName), " of May");
  await user.click(screen.getByTestId(testIds.viewSubmit));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("PUT"));
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(name()).not.toBeNull();
  answer();
  await waitFor(() => expect(name()).toBeNull());
});

it("leaves the open view as it is if a view is saved after its dialog was cancelled", async () => {
  const { isHeld, release } = held();
  api.on(/views\/f+$/, () => ({ body: { ...VIEW, id: "ffffffffffff", name: "New" } }));
  api.on(/views$/, async () => {
    if (api.sent.at(-1)?.method !== "POST") return { body: { views: [LISTED] } };
    await isHeld;
    view = { ...VIEW, name: "Read again" };
    return { status: 201, body: { ...VIEW, id: "ffffffffffff", name: "New" } };
  });
  const user = await openDialog(testIds.viewSaveNew);
  await user.type(await screen.findByTestId(testIds.viewName), "New");
  await user.click(screen.getByTestId(testIds.viewSubmit));
  await waitFor(() => expect(api.sent.at(-1)?.method).toBe("POST"));
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(name()).toBeNull();

  release();
  await waitFor(() => expect(screen.getByTestId(testIds.views).textContent).toBe("Read again"));
});

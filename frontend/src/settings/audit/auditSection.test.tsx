// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../../testIds";
import { installFakeApi, problem } from "../../testing/fakeApi";
import { prepareBrowser, renderApp } from "../../testing/renderApp";
import { sampleTenant } from "../../testing/sampleTenant";

prepareBrowser();

/** Returns the answer with one entry and the cursor of the next page. */
function auditPage(id: string, nextCursor: string | null) {
  const author = { actor: "key a", address: null, tenant: "demo" };
  const entry = { id, at: "2026-11-21T01:02:03.000000000Z", action: "key.create", ...author };
  return { body: { entries: [{ ...entry, before: {}, after: {} }], next_cursor: nextCursor } };
}

it("reports older entries that could not be read below the entries, and reads only these again", async () => {
  const user = userEvent.setup();
  sessionStorage.setItem("logsieve.admin-key", "right");
  const api = installFakeApi();
  let isFailing = true;
  api.on(/admin\/tenants$/, () => ({ body: { tenants: [sampleTenant()] } }));
  api.on(/admin\/audit/, (search) => {
    if (search.get("cursor") === null) return auditPage("1", "next");
    return isFailing ? problem(400, "invalid", "the entries cannot be read") : auditPage("2", null);
  });
  renderApp("/settings/audit");
  await user.click(await screen.findByTestId(testIds.auditMore));
  const failure = await screen.findByText("The entries cannot be read.");
  const [entry] = screen.getAllByTestId(testIds.auditEntry);
  expect(entry?.compareDocumentPosition(failure)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);

  isFailing = false;
  const sent = api.requests.length;
  await user.click(within(screen.getByRole("main")).getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.getAllByTestId(testIds.auditEntry)).toHaveLength(2));
  expect(screen.queryByText("The entries cannot be read.")).toBeNull();
  expect(api.requests.slice(sent)).toEqual([expect.stringContaining("cursor=next")]);
});

// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleTenant } from "../testing/sampleTenant";

prepareBrowser();

it("keeps typed values of a section while another admin key is entered", async () => {
  sessionStorage.setItem("logsieve.admin-key", "first");
  const user = userEvent.setup();
  const api = installFakeApi();
  let isRefused = false;
  const lists: (string | null)[] = [];
  const answer = (key: string | null, body: unknown) =>
    isRefused && key === "first" ? problem(401, "unauthenticated", "the key was revoked") : { body };
  api.on(/admin\/tenants$/, (_search, _path, key) => answer(key, { tenants: [sampleTenant()] }));
  api.on(/body-redactions$/, (_search, _path, key) => answer(key, { redactions: [] }));
  api.on(/attribute-rules/, (_search, path, key) => {
    if (path.endsWith("recommended")) {
      isRefused = true;
      return { body: { added: 1 } };
    }
    lists.push(key);
    return answer(key, { rules: [] });
  });
  renderApp("/settings/attributes");
  await user.type(await screen.findByTestId(testIds.ruleName), "password");
  await user.click(screen.getByRole("button", { name: "Add recommended rules" }));
  // The key is refused when the list is read again.
  const field = await screen.findByTestId(testIds.adminKey);
  expect(screen.queryByRole("button", { name: "Add recommended rules" })).toBeNull();
  await user.type(field, "second{Enter}");
  await waitFor(() => expect(screen.queryByTestId(testIds.adminForm)).toBeNull());
  expect(screen.getByTestId<HTMLInputElement>(testIds.ruleName).value).toBe("password");
  await waitFor(() => expect(lists.at(-1)).toBe("second"));
});

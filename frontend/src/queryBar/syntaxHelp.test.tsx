// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { SYNTAX_EXAMPLES } from "../language/syntaxExamples";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

const EXAMPLE = SYNTAX_EXAMPLES[0]?.[1][0]?.[0] ?? "";

it("gives the focus back to its button, or to the query bar with the inserted example", async () => {
  const user = userEvent.setup();
  installFakeApi();
  renderApp("/");
  const help = await screen.findByTestId(testIds.queryHelp);
  const panel = () => screen.queryByRole("dialog", { name: "Query syntax" });
  const close = async () => {
    await user.keyboard("{Escape}");
    await waitFor(() => expect(panel()).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(help));
  };
  await user.click(help);
  await close();

  await user.click(help);
  await user.click(within(panel() ?? document.body).getByText(EXAMPLE));
  const query = screen.getByTestId(testIds.queryInput);
  await waitFor(() => expect(query.contains(document.activeElement)).toBe(true));
  expect(query.textContent).toContain(EXAMPLE);

  await user.click(help);
  await close();
});

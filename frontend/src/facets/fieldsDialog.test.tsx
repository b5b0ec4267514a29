// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { COUNTING, installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

it("shows the fields over a narrow page until they are closed", async () => {
  const user = userEvent.setup();
  const api = installFakeApi();
  const fields = [{ name: "service", source: "record", records: 9 }];
  api.on(/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields } }));
  api.on(/values$/, () => ({
    body: {
      ...COUNTING,
      name: "service",
      records: 9,
      complete: true,
      more: false,
      values: [{ value: "cart", records: 9 }],
    },
  }));
  const { history } = renderApp();
  await user.click(await screen.findByTestId(testIds.fieldsOpen));
  const dialog = within(await screen.findByTestId(testIds.fields));
  await user.click(await dialog.findByTestId(testIds.facet));
  await user.click(await dialog.findByTestId(testIds.facetValue));
  await waitFor(() => expect(new URLSearchParams(history.location.search).get("query")).toBe("service:cart"));
  await user.click(dialog.getByTestId(testIds.fieldsClose));
  expect(screen.queryByTestId(testIds.fields)).toBeNull();
});

// @vitest-environment jsdom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

const AREAS = [
  ["patterns", "/?query=slow&mode=patterns"],
  ["stats", "/?query=slow&mode=chart&stats=count()"],
] as const;

it.each(AREAS)(
  "cancels a request for %s by its button and by Escape, and sends it again",
  async (path, address) => {
    const api = installFakeApi();
    api.on(new RegExp(`${path}$`), () => new Promise(() => {}));
    const sent = () => api.sent.filter(({ url }) => url.includes(`/logs/${path}?`));
    renderApp(address);
    const note = () => screen.queryByTestId(testIds.cancelled);
    const cancels = [
      async () => userEvent.click(screen.getByTestId(testIds.cancel)),
      async () => userEvent.keyboard("{Escape}"),
    ];
    for (const [place, cancel] of cancels.entries()) {
      await screen.findByTestId(testIds.cancel);
      await waitFor(() => expect(sent()).toHaveLength(place + 1));
      expect(note()).toBeNull();
      await cancel();
      await waitFor(() => expect(note()).not.toBeNull());
      expect(sent().at(-1)?.signal.aborted).toBe(true);
      expect(screen.getByTestId(testIds.refresh)).toBeTruthy();
      await userEvent.click(within(note() ?? document.body).getByTestId(testIds.resume));
    }
    await waitFor(() => expect(sent()).toHaveLength(3));
  },
);

it.each(AREAS)("does not call a failed request for %s cancelled", async (path, address) => {
  const api = installFakeApi();
  api.on(new RegExp(`${path}$`), () => problem(500, "internal", "the request failed"));
  renderApp(address);
  await screen.findByText("The request failed.");
  expect(screen.queryByTestId(testIds.cancelled)).toBeNull();
});

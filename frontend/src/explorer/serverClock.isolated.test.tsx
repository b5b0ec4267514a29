// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

it("searches up to the server's time if the browser's clock is slow", async () => {
  const api = installFakeApi();
  const answer = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    const response = await answer(request);
    response.headers.set("Date", new Date(Date.now() + 600_000).toUTCString());
    return response;
  });
  renderApp("/?from=now-1h&to=now");
  const ends = () =>
    api.requests
      .filter((request) => request.includes("/search?"))
      .map((request) => Date.parse(new URLSearchParams(request.split("?")[1]).get("end") ?? ""));
  await waitFor(() => expect(ends().at(-1)).toBeGreaterThan(Date.now() + 500_000));
  // Nothing of the page may run on after the test, when the document is gone.
  await screen.findByTestId(testIds.empty);
  await screen.findByText("No fields.");
});

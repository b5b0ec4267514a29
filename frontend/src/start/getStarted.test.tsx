// @vitest-environment jsdom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Log } from "../api/types";
import { testIds } from "../testIds";
import { type FakeApi, HISTOGRAM, installFakeApi, searchPage } from "../testing/fakeApi";
import { openStream } from "../testing/openStream";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

let api: FakeApi;
let logs: Log[];

beforeEach(() => {
  localStorage.removeItem("logsieve.has-logs");
  logs = [];
  api = installFakeApi();
  api.on(/search$/, () => searchPage(logs));
});

/** Waits until all steps are done that need no further event, such as the start of a request. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

/** Milliseconds between two polls in the first minute. */
const POLL_MS = 1_000;

/**
 * Returns a function that lists the callbacks of the running intervals that poll. Without such an interval there are no
 * further polls, so no test has to wait for their absence.
 */
function watchPolling() {
  const started = vi.spyOn(globalThis, "setInterval");
  const ended = vi.spyOn(globalThis, "clearInterval");
  return () => {
    const gone = new Set<unknown>(ended.mock.calls.map(([timer]) => timer));
    return started.mock.calls
      .filter(([, delay], call) => delay === POLL_MS && !gone.has(started.mock.results[call]?.value))
      .map(([callback]) => callback as () => void);
  };
}

const polls = () => api.requests.filter((request) => /search\?.*limit=1&/.test(request)).length;

describe("the first page", () => {
  it("is Get started for a tenant without logs", async () => {
    const { history } = renderApp();
    await screen.findByTestId(testIds.getStarted);
    expect(history.location.pathname).toBe("/get-started");
    expect(history.location.search).toBe("");
  });

  it("is the search for a tenant with logs, which is requested once in a browser", async () => {
    logs = [sampleLog()];
    const { unmount } = renderApp();
    await screen.findAllByTestId(testIds.resultRow);
    await waitFor(() => expect(localStorage.getItem("logsieve.has-logs")).toBe("demo"));
    expect(polls()).toBe(1);
    unmount();
    renderApp();
    await screen.findAllByTestId(testIds.resultRow);
    expect(polls()).toBe(1);
  });

  it.each<[string, () => Promise<void>]>([
    [
      "types a query",
      async () => {
        await userEvent.type(screen.getByTestId(testIds.queryInput), "err");
      },
    ],
    [
      "has opened a menu",
      async () => {
        await userEvent.click(screen.getByRole("button", { name: "Tenant demo, account menu" }));
        await screen.findByRole("menu");
      },
    ],
  ])("stays the search for somebody who %s before the answer", async (_, use) => {
    const [newest, list] = [openStream(), openStream()];
    api.on(/search$/, (search) => ({
      body: null,
      lines: (search.get("limit") === "1" ? newest : list).lines,
    }));
    const { history } = renderApp();
    await screen.findByTestId(testIds.queryInput);
    await waitFor(() => expect(polls()).toBe(1));
    await use();
    const { body } = searchPage([]);
    newest.write(body as object);
    newest.close();
    // The list is answered later, so that the tenant is known to be empty when the list is shown as empty.
    list.write({ page: body });
    list.close();
    await screen.findByTestId(testIds.empty);
    expect(history.location.pathname).toBe("/");
  });

  it("is the search that a link names, also without logs", async () => {
    renderApp("/?query=error&from=now-1h&to=now");
    await screen.findByTestId(testIds.empty);
    expect(polls()).toBe(0);
  });
});

describe("the wait for a log", () => {
  it("polls until the first log is there, shows it, and polls no more", async () => {
    const polling = watchPolling();
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    expect(polling()).toHaveLength(1);
    logs = [sampleLog({ id: "7", body: "hello" })];
    await waitFor(() => expect(card.dataset.state).toBe("received"));
    expect(card.textContent).toContain("First log received");
    expect(card.textContent).toContain("hello");
    await waitFor(() => expect(polling()).toEqual([]));
    expect(screen.getByTestId(testIds.arrivalOpen).getAttribute("href")).toContain("record=7");
  });

  it("shows a log that arrives between the two requests of a poll as the newest log", async () => {
    let isArriving = false;
    api.on(/search$/, () => {
      const answer = searchPage(logs);
      if (isArriving) logs = [sampleLog({ id: "7", body: "hello" })];
      return answer;
    });
    api.on(/histogram$/, async () => {
      await settled();
      return { body: { ...(HISTOGRAM.body as object), buckets: [{ start: "", total: logs.length }] } };
    });
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    isArriving = true;
    await waitFor(() => expect(card.dataset.state).toBe("received"));
    expect(card.textContent).toContain("First log received");
    expect(card.textContent).toContain("hello");
  });

  it("says after 30 s what to check", async () => {
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    expect(card.textContent).not.toContain("Nothing has arrived yet");
    const later = Date.now() + 30_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => later);
    await waitFor(() =>
      expect(card.textContent).toContain("Nothing has arrived yet: check the key, the address"),
    );
    clock.mockRestore();
  });

  it("ends after ten minutes, and starts again on request", async () => {
    const polling = watchPolling();
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    const later = Date.now() + 10 * 60_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => later);
    await waitFor(() => expect(card.dataset.state).toBe("ended"));
    await waitFor(() => expect(polling()).toEqual([]));
    clock.mockRestore();
    await userEvent.click(screen.getByTestId(testIds.watchAgain));
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    expect(polling()).toHaveLength(1);
  });

  it("ends also if the time is up right after the card was shown", async () => {
    const now = Date.now;
    let isShown = false;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => {
      isShown ||= screen.queryByTestId(testIds.arrival)?.dataset.state === "waiting";
      return isShown ? now() + 10 * 60_000 : now();
    });
    const polling = watchPolling();
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("ended"));
    await waitFor(() => expect(polling()).toEqual([]));
    clock.mockRestore();
  });

  it("does not poll while the page is hidden", async () => {
    const polling = watchPolling();
    renderApp("/get-started");
    const card = await screen.findByTestId(testIds.arrival);
    await waitFor(() => expect(card.dataset.state).toBe("waiting"));
    const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    await settled();
    const sent = polls();
    logs = [sampleLog({ id: "8" })];
    const due = polling();
    expect(due).toHaveLength(1);
    for (const poll of due) poll();
    await settled();
    expect(polls()).toBe(sent);
    visibility.mockReturnValue("visible");
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    await waitFor(() => expect(card.dataset.state).toBe("received"));
  });
});

describe("the snippets", () => {
  it("of Go install the packages after the file was saved", async () => {
    const user = userEvent.setup();
    renderApp("/get-started");
    await user.click(await screen.findByRole("tab", { name: "Go" }));
    const titles = [...screen.getByRole("tabpanel").querySelectorAll("figcaption")].map(
      (each) => each.textContent,
    );
    expect(titles.map((title) => title?.split("Copy")[0])).toEqual([
      "first_log.go",
      "Install the packages",
      "Run it in the same shell",
    ]);
  });

  it("name the port of OTLP over gRPC", async () => {
    api.on(/tenant$/, () => ({ body: { name: "demo", retention_days: 30, ingest_grpc_port: 16317 } }));
    renderApp("/get-started");
    await screen.findByText("OTLP over gRPC works the same way, on port 16317.");
  });

  it("are copied with the key that was typed, which the page does not show", async () => {
    const key = `ls_ingest_2fe01447e149_${"b".repeat(64)}`;
    const user = userEvent.setup();
    renderApp("/get-started");
    await user.type(await screen.findByTestId(testIds.ingestKey), key);
    const environment = screen.getByTestId(testIds.environment);
    expect(environment.textContent).toContain("ls_ingest_2fe01447e149_••••");
    expect(environment.textContent).not.toContain("bbbb");
    await user.click(screen.getByRole("button", { name: /Copy Set address/ }));
    expect(await navigator.clipboard.readText()).toContain(`export LOGSIEVE_INGEST_KEY='${key}'`);
  });
});

// @vitest-environment jsdom
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { testIds } from "../testIds";
import { COUNTING, type FakeApi, installFakeApi, problem } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";

prepareBrowser();

let api: FakeApi;
beforeEach(() => {
  api = installFakeApi();
  const fields = [
    { name: "service", source: "record", records: 1234 },
    { name: "user id", source: "attributes", records: 7 },
  ];
  api.on(/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields } }));
  api.on(/fields\/.+\/values$/, (_search, path) => ({
    body: {
      ...COUNTING,
      name: decodeURIComponent(path.split("/").at(-2) ?? ""),
      records: 1234,
      complete: false,
      more: false,
      values: [{ value: "check out", records: 1000 }],
    },
  }));
});

const query = (history: { location: { search: string } }) =>
  new URLSearchParams(history.location.search).get("query");

describe("facets", () => {
  it("opens a field, narrows the search to a value and excludes it", async () => {
    const user = userEvent.setup();
    const { history } = renderApp();
    const field = await screen.findByRole("button", { name: /^service/ });
    expect(field.textContent).toContain("1.2K");
    await user.click(field);
    await user.click(await screen.findByRole("button", { name: /^check out/ }));
    await waitFor(() => expect(query(history)).toBe('service:"check out"'));
    await user.click(await screen.findByRole("button", { name: "Exclude service check out" }));
    await waitFor(() => expect(query(history)).toBe('-service:"check out"'));
  });

  it("has a heading over each kind of fields", async () => {
    renderApp();
    await screen.findByRole("button", { name: /^service/ });
    const headings = within(screen.getByTestId(testIds.facets)).getAllByRole("heading");
    expect(headings.map(({ textContent }) => textContent)).toEqual([
      "Severity and service",
      "Attributes of the log",
    ]);
  });

  it("finds fields by name, quotes them, and says that counts are approximate", async () => {
    const user = userEvent.setup();
    const { history } = renderApp();
    await screen.findByRole("button", { name: /^service/ });
    await user.type(screen.getByRole("searchbox", { name: "Find a field" }), "USER");
    expect(screen.getAllByTestId(testIds.facet)).toHaveLength(1);
    await user.click(screen.getByTestId(testIds.facet));
    const value = await screen.findByTestId(testIds.facetValue);
    expect(value.textContent).toContain("~ 1K");
    await user.keyboard("{Alt>}");
    await user.click(value);
    await user.keyboard("{/Alt}");
    await waitFor(() => expect(query(history)).toBe('-"user id":"check out"'));
  });

  it("stays hidden where it was hidden", async () => {
    const user = userEvent.setup();
    const { unmount } = renderApp();
    await user.click(await screen.findByTestId(testIds.facetsToggle));
    expect(screen.queryByTestId(testIds.facet)).toBeNull();
    unmount();
    renderApp();
    await screen.findByTestId(testIds.facets);
    expect(screen.queryByTestId(testIds.facet)).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show the fields" }));
    expect(await screen.findAllByTestId(testIds.facet)).toHaveLength(2);
  });
});

it("suggests another query instead of another attempt where the query is wrong", async () => {
  api.on(/logs\/fields$/, () => problem(400, "invalid_query", "a group is not closed", { position: 1 }));
  renderApp("/?query=(");
  await screen.findByText("Correct the query to see its fields.");
  expect(screen.queryByTestId(testIds.facetsRetry)).toBeNull();
});

it("shows the button for a column beside a field that has the pointer or the focus", async () => {
  const user = userEvent.setup();
  renderApp();
  const field = await screen.findByRole("button", { name: /^service/ });
  const name = "Remove the column service";
  expect(screen.queryByRole("button", { name })).toBeNull();
  await user.hover(field);
  expect(screen.getByRole("button", { name })).toBeTruthy();
  await user.unhover(field);
  expect(screen.queryByRole("button", { name })).toBeNull();
  act(() => field.focus());
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name }));
  await user.keyboard("{ArrowDown}");
  expect(document.activeElement?.textContent).toContain("user id");
  expect(screen.queryByRole("button", { name })).toBeNull();
});

it("lists the first hundred fields until all are requested", async () => {
  const user = userEvent.setup();
  const fields = Array.from({ length: 150 }, (_, index) => {
    return { name: `field${index}`, source: "attributes", records: 1 };
  });
  api.on(/logs\/fields$/, () => ({ body: { ...COUNTING, complete: true, fields } }));
  renderApp();
  expect(await screen.findAllByTestId(testIds.facet)).toHaveLength(100);
  await user.click(screen.getByTestId(testIds.facetsMore));
  expect(screen.getAllByTestId(testIds.facet)).toHaveLength(150);
});

describe("several values of a field", () => {
  beforeEach(() => {
    api.on(/service\/values$/, () => ({
      body: {
        ...COUNTING,
        name: "service",
        records: 100,
        complete: true,
        more: false,
        values: [
          { value: "cart", records: 60 },
          { value: "web", records: 30 },
        ],
      },
    }));
  });
  const pick = async (value: string) => {
    const found = await screen.findAllByTestId(testIds.facetValue);
    return found.find((each) => each.getAttribute("data-value") === value) as HTMLElement;
  };

  it("are required together, each until it is clicked again", async () => {
    const user = userEvent.setup();
    const { history } = renderApp("/?query=error");
    await user.click(await screen.findByRole("button", { name: /^service/ }));
    await user.click(await pick("cart"));
    await waitFor(() => expect(query(history)).toBe("error service:cart"));
    await user.click(await pick("web"));
    await waitFor(() => expect(query(history)).toBe("error service:(cart OR web)"));
    expect((await pick("cart")).getAttribute("aria-pressed")).toBe("true");
    await user.click(await pick("cart"));
    await waitFor(() => expect(query(history)).toBe("error service:web"));
    expect((await pick("cart")).getAttribute("aria-pressed")).toBe("false");
    expect(screen.getByRole("button", { name: /^service/ }).dataset.filtered).toBe("true");
    await user.click(screen.getByTestId(testIds.facetClear));
    await waitFor(() => expect(query(history)).toBe("error"));
  });

  it("are counted without the field's own filter, and listed when they are rare", async () => {
    const user = userEvent.setup();
    renderApp("/?query=error+service:(cart+OR+rare)");
    await user.click(await screen.findByRole("button", { name: /^service/ }));
    expect((await pick("rare")).textContent).toContain("–");
    expect((await pick("rare")).getAttribute("aria-pressed")).toBe("true");
    const requests = api.requests.filter((request) => request.includes("/service/values"));
    expect(requests.map((request) => new URLSearchParams(request.split("?")[1]).get("query"))).toEqual([
      "error",
    ]);
  });
});

describe("facets by keyboard", () => {
  it("are one Tab stop, with arrows between fields, their values and the buttons that exclude them", async () => {
    const user = userEvent.setup();
    const { history } = renderApp();
    await screen.findByRole("button", { name: /^service/ });
    const seek = screen.getByRole("searchbox", { name: "Find a field" });
    seek.focus();
    await user.tab();
    await user.tab();
    expect(document.activeElement?.textContent).toContain("service");
    await user.keyboard("{ArrowRight}");
    await screen.findByTestId(testIds.facetValue);
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(document.activeElement?.textContent).toContain("check out");
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(document.activeElement?.textContent).toContain("user id");
    await user.keyboard("{Home}{ArrowDown}{ArrowDown}{ArrowDown}{Enter}");
    await waitFor(() => expect(query(history)).toBe('-service:"check out"'));
    seek.focus();
    await user.tab();
    await user.tab();
    const stop = document.activeElement;
    await user.tab();
    expect(stop?.closest("ul")).not.toBeNull();
    expect(document.activeElement?.closest("aside")).toBeNull();
  });
});

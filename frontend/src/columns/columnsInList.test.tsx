// @vitest-environment jsdom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { testIds } from "../testIds";
import { installFakeApi, searchPage } from "../testing/fakeApi";
import { prepareBrowser, renderApp } from "../testing/renderApp";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

beforeEach(() => {
  const log = sampleLog({ id: "01", service: "cart", attributes: { "user.id": "u7", region: "eu" } });
  installFakeApi().on(/search$/, () => searchPage([log]));
});

const heads = async () => {
  await screen.findAllByTestId(testIds.resultRow);
  return within(screen.getByTestId(testIds.results))
    .getAllByRole("columnheader")
    .map((head) => head.textContent?.trim());
};
const cells = () =>
  within(screen.getByTestId(testIds.resultRow))
    .getAllByRole("gridcell")
    .map((cell) => cell.textContent);
const columns = (history: { location: { search: string } }) =>
  new URLSearchParams(history.location.search).get("columns");

it("shows the service until other columns are chosen", async () => {
  renderApp();
  expect(await heads()).toEqual(["Time", "Level", "service", "Message"]);
  expect(cells().slice(2)).toEqual(["cart", "order placeduser.id=u7region=eu"]);
});

it("shows the columns of a link, and does not repeat them behind the message", async () => {
  renderApp("/?columns=region,absent,user.id~90");
  expect(await heads()).toEqual(["Time", "Level", "region", "absent", "user.id", "Message"]);
  expect(cells().slice(2)).toEqual(["eu", "", "u7", "order placed"]);
  expect(screen.getByTestId(testIds.results).style.getPropertyValue("--columns")).toBe(
    "7ch 7ch 90px minmax(0, 1fr)",
  );
});

it("shows the beginning of a long value", async () => {
  const log = sampleLog({ attributes: { region: "e".repeat(400_000) } });
  installFakeApi().on(/search$/, () => searchPage([log]));
  renderApp("/?columns=region");
  await heads();
  expect(cells()[2]).toBe(`${"e".repeat(300)}…`);
});

it("adds a column from an open record, moves, resizes and removes it", async () => {
  const user = userEvent.setup();
  const { history } = renderApp("/?record=01");
  const panel = within(await screen.findByTestId(testIds.detail));
  await user.click(await panel.findByRole("treeitem", { name: /^user\.id/ }));
  await user.click(await panel.findByRole("button", { name: "Show user.id as a column" }));
  await waitFor(() => expect(columns(history)).toBe("service,user.id"));
  const choose = async (item: string) => {
    await user.click(screen.getByRole("button", { name: "Column user.id" }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
  };
  await choose("Move left");
  await waitFor(() => expect(columns(history)).toBe("user.id,service"));
  await choose("Wider");
  await waitFor(() => expect(columns(history)).toBe("user.id~40,service"));
  await choose("Remove");
  await waitFor(() => expect(columns(history)).toBeNull());
  await user.click(panel.getByRole("button", { name: "Remove the column service" }));
  await waitFor(() => expect(columns(history)).toBe(""));
  expect(await heads()).toEqual(["Time", "Level", "Message"]);
});

it("resizes a column by dragging its edge, but not by a click on it or a cancelled pointer", async () => {
  Element.prototype.setPointerCapture = () => {};
  const { history } = renderApp();
  await heads();
  const [edge] = screen.getAllByTestId(testIds.columnEdge);
  if (edge === undefined) throw new Error("the columns have no edges");
  const tracks = () => screen.getByTestId(testIds.results).style.getPropertyValue("--columns");
  const before = tracks();
  const point = (type: "pointerDown" | "pointerMove" | "pointerUp" | "pointerCancel", clientX: number) =>
    fireEvent[type](edge, { clientX, pointerId: 1 });
  point("pointerDown", 500);
  point("pointerUp", 501);
  expect(tracks()).toBe(before);

  point("pointerDown", 500);
  point("pointerMove", 600);
  expect(tracks()).toContain("100px");
  point("pointerCancel", 600);
  expect(tracks()).toBe(before);
  point("pointerMove", 700);
  point("pointerUp", 700);
  expect(tracks()).toBe(before);
  expect(columns(history)).toBeNull();

  point("pointerDown", 500);
  point("pointerMove", 600);
  point("pointerUp", 600);
  await waitFor(() => expect(columns(history)).toBe("service~100"));
});

it("moves the message to the left, and gives it a width", async () => {
  const user = userEvent.setup();
  const { history } = renderApp();
  await heads();
  const choose = async (item: string) => {
    await user.click(screen.getByRole("button", { name: "Message column" }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
  };
  await choose("Move left");
  await waitFor(() => expect(columns(history)).toBe("body,service"));
  expect(await heads()).toEqual(["Time", "Level", "Message", "service"]);
  expect(cells().slice(2)).toEqual(["order placeduser.id=u7region=eu", "cart"]);
  await choose("Wider");
  await waitFor(() => expect(columns(history)).toBe("body~40,service"));
  await choose("Fill the row");
  await waitFor(() => expect(columns(history)).toBe("body,service"));
  await user.click(screen.getByRole("button", { name: "Message column" }));
  expect(screen.queryByRole("menuitem", { name: "Remove" })).toBeNull();
});

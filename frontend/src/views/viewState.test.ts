import { describe, expect, it } from "vitest";
import { DEFAULT_STATE, decodeSearchState, encodeSearchState, parseSearchText } from "../url/searchState";
import { inFolders } from "./inFolders";
import { linkedView } from "./linkedView";
import { isChanged, searchOf, stateOf, viewLink } from "./viewState";

const ID = "0123456789ab";
const STATE = {
  query: "a b",
  stats: "count() by service",
  mode: "chart",
  chart: "table",
  from: "now-6h",
  to: "now",
  order: "asc",
  columns: "service,user.id~120",
  by: "service",
} as const;

describe("a state as a view", () => {
  it("comes back as it was", () => {
    expect(stateOf(searchOf(STATE))).toEqual(STATE);
    expect(stateOf(searchOf({ ...STATE, columns: "", by: null }))).toEqual({
      ...STATE,
      columns: "",
      by: null,
    });
  });

  it.each([
    { query: "" },
    { stats: "count()" },
    { from: "now-1h" },
    { order: "desc" as const },
    { columns: "service" },
    { by: null },
    { chart: null },
  ])("is changed by %j", (change) => {
    expect(isChanged(searchOf(STATE), STATE)).toBe(false);
    expect(isChanged(searchOf(STATE), { ...STATE, ...change })).toBe(true);
  });
});

describe("an address with a view", () => {
  it("leaves to the view what it does not have itself", () => {
    expect(linkedView(`?view=${ID}`)).toEqual({ id: ID, given: {} });
    expect(linkedView(`?view=${ID}&query=&to=now-1h`)).toEqual({
      id: ID,
      given: { query: "", to: "now-1h" },
    });
  });

  it("leaves the mode to the view where it asks for a chart of the view's numbers", () => {
    expect(linkedView(`?view=${ID}&mode=chart`)).toEqual({ id: ID, given: {} });
    expect(linkedView(`?view=${ID}&mode=patterns`)?.given).toEqual({ mode: "patterns" });
    expect(linkedView(`?view=${ID}&query=a+|+stats+count()`)?.given).toEqual({
      query: "a",
      stats: "count()",
      mode: "chart",
    });
    expect(linkedView(`?view=${ID}&stats=count()&mode=chart`)?.given).toEqual({
      stats: "count()",
      mode: "chart",
    });
  });

  it.each(["", "?query=a", "?view=", "?view=x", `?view=${ID}0`])("names no view: %s", (search) => {
    expect(linkedView(search)).toBeNull();
  });

  it("leaves nothing to the view after it was opened, whatever the values", () => {
    for (const state of [
      { ...DEFAULT_STATE, view: ID },
      { ...DEFAULT_STATE, ...STATE, view: ID },
    ]) {
      const search = encodeSearchState(state);
      expect(linkedView(search)).toBeNull();
      expect(decodeSearchState(parseSearchText(search))).toEqual(state);
    }
  });

  it("is what the menu copies", () => {
    expect(viewLink("http://logs.example/?query=a&from=now-1h", ID)).toBe(`http://logs.example/?view=${ID}`);
  });
});

it("lists views by folder", () => {
  const view = (name: string, folder: string) => ({ id: name, name, folder, is_default: false, revision: 1 });
  const [a, b, c] = [view("a", ""), view("b", "x"), view("c", "x")];
  expect(inFolders([a, b, c])).toEqual([
    ["", [a]],
    ["x", [b, c]],
  ]);
});

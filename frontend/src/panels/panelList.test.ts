import { describe, expect, it } from "vitest";
import {
  addPanel,
  changePanel,
  movePanel,
  type PanelList,
  removePanel,
  withKeys,
  withoutKeys,
} from "./panelList";

const stored = ["a", "b", "a", "c"].map((view) => ({ view, title: `of ${view}`, width: 1, height: 2 }));
const panels = withKeys(stored);
const views = (list: PanelList) => list.map(({ view }) => view).join("");
const keys = (list: PanelList) => list.map(({ key }) => key);

describe("panels", () => {
  it("have keys of their own, and are stored without them", () => {
    expect(new Set(keys(panels)).size).toBe(4);
    expect(withoutKeys(panels)).toEqual(stored);
  });

  it("are stored without spaces at the ends of titles, which the API refuses", () => {
    const titled = withKeys([" Errors ", "   "].map((title) => ({ view: "a", title, width: 1, height: 1 })));
    expect(withoutKeys(titled).map(({ title }) => title)).toEqual(["Errors", ""]);
  });

  it.each([
    [0, 2, "baac"],
    [3, 0, "caba"],
    [1, 99, "aacb"],
    [2, -1, "aabc"],
    [1, 1, "abac"],
  ])("move from %i to %i", (from, to, expected) => {
    const moved = movePanel(panels, keys(panels)[from] ?? "", to);
    expect(views(moved)).toBe(expected);
    expect(new Set(keys(moved))).toEqual(new Set(keys(panels)));
  });

  it("stay where the key is unknown", () => {
    expect(movePanel(panels, "d-1", 0)).toEqual(panels);
  });

  it("get a free key when one is added after another was removed", () => {
    const fewer = removePanel(panels, keys(panels)[0] ?? "");
    expect(views(fewer)).toBe("bac");
    const view = { id: "a", query: "error | stats count()" };
    const more = addPanel(addPanel(fewer, view), view);
    expect(views(more)).toBe("bacaa");
    expect(new Set(keys(more)).size).toBe(5);
    expect(more.at(-1)).toMatchObject({ title: "", width: 1, height: 1 });
  });

  it("have all columns of the grid when they show logs", () => {
    expect(addPanel([], { id: "a", query: "error" })).toMatchObject([{ view: "a", width: 3, height: 1 }]);
  });

  it("change one by one", () => {
    const key = keys(panels)[2] ?? "";
    const changed = changePanel(panels, key, { width: 3 });
    expect(changed.map(({ width }) => width)).toEqual([1, 1, 3, 1]);
    expect(changed[2]).toEqual({ ...panels[2], width: 3 });
  });
});

import { describe, expect, it } from "vitest";
import type { Log } from "../api/types";
import { sampleLog } from "../testing/sampleLog";
import { type ArrivingPart, type ListPage, type PageParam, paramAfter, shownRows } from "./searchPages";

const LIST = "list";
const FIRST: PageParam = { side: "behind", cursor: null };
const NEXT: PageParam = { side: "behind", cursor: "c" };

const logsOf = (ids: string): Log[] => [...ids].map((id) => sampleLog({ id }));
const page = (ids: string, next: string | null = null, side: PageParam["side"] = "behind"): ListPage => ({
  logs: logsOf(ids),
  next_cursor: next,
  hints: [],
  stats: {
    elapsed_ms: 1,
    rows_read: 1,
    bytes_read: 1,
    granules_total: 1,
    granules_read: 1,
    plan: "in_order",
    windows: 1,
  },
  side,
});
const loaded = (...pages: [PageParam, string][]) => ({
  pages: pages.map(([{ side }, ids]) => page(ids, null, side)),
  pageParams: pages.map(([param]) => param),
});
const part = (ids: string, cursor: string | null = null, listId = LIST): ArrivingPart => ({
  listId,
  cursor,
  logs: logsOf(ids),
  progress: null,
});

type Loaded = ReturnType<typeof loaded>;

describe("the rows of a list", () => {
  const earlier = loaded([FIRST, "xy"]);
  it.each<[string, Loaded | undefined, Loaded | undefined, ArrivingPart | null, string, string, boolean]>([
    ["are none at first", undefined, undefined, null, "earlier", "", false],
    ["are those of the list before until some arrive", undefined, earlier, null, "earlier", "xy", false],
    ["are those of the list before after empty windows", undefined, earlier, part(""), "earlier", "xy", true],
    [
      "leave out what arrives for another list",
      undefined,
      earlier,
      part("q", null, "other"),
      "earlier",
      "xy",
      false,
    ],
    ["are the first that arrive", undefined, earlier, part("ab"), "arriving", "ab", true],
    [
      "are those of the complete page once",
      loaded([FIRST, "abc"]),
      earlier,
      part("abc"),
      "loaded",
      "abc",
      false,
    ],
    ["continue with the next page", loaded([FIRST, "abc"]), earlier, part("d", "c"), "loaded", "abcd", true],
    ["may be none", loaded([FIRST, ""]), earlier, null, "loaded", "", false],
    [
      "begin before the anchor",
      loaded([{ side: "before", cursor: "c" }, "a"], [FIRST, "b"]),
      earlier,
      part("d", "c"),
      "loaded",
      "abd",
      true,
    ],
    [
      "have the next page once",
      loaded([FIRST, "a"], [NEXT, "b"]),
      earlier,
      part("b", "c"),
      "loaded",
      "ab",
      false,
    ],
  ])("%s", (_, own, before, latest, kind, ids, isArriving) => {
    const shown = shownRows(LIST, own, before, latest);
    expect(shown.kind).toBe(kind);
    expect(shown.logs.map(({ id }) => id).join("")).toBe(ids);
    expect(shown.part).toBe(isArriving ? latest : null);
  });
});

it("continues a page in its own direction", () => {
  expect(paramAfter(page("a", "c"))).toEqual(NEXT);
  expect(paramAfter(page("a", "c", "before"))).toEqual({ side: "before", cursor: "c" });
  expect(paramAfter(page("a"))).toBeNull();
});

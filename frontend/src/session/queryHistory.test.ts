// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { pageOwner } from "./pageOwner";
import {
  earlierQuery,
  forgetHistory,
  forgetHistoryOf,
  laterQuery,
  readHistory,
  rememberQuery,
} from "./queryHistory";

beforeEach(() => {
  localStorage.clear();
  pageOwner.keep("demo");
});

it("keeps each query once, newest first, fifty of them", () => {
  for (const query of ["a", "b", " ", "a"]) rememberQuery(query);
  expect(readHistory()).toEqual(["a", "b"]);
  for (let n = 0; n < 60; n += 1) rememberQuery(`q${n}`);
  expect(readHistory()).toHaveLength(50);
  expect(readHistory()[0]).toBe("q59");
});

it("forgets all queries", () => {
  rememberQuery("a");
  forgetHistory();
  expect(readHistory()).toEqual([]);
});

it("offers the queries of the tab's tenant alone, and forgets those of one tenant", () => {
  rememberQuery("a");
  pageOwner.keep("other");
  expect(readHistory()).toEqual([]);
  rememberQuery("b");
  pageOwner.keep("demo");
  rememberQuery("c");
  expect(readHistory()).toEqual(["c", "a"]);
  forgetHistoryOf("demo");
  expect(readHistory()).toEqual([]);
  pageOwner.keep("other");
  expect(readHistory()).toEqual(["b"]);
});

it("steps back and forth", () => {
  const history = ["new", "old"];
  expect(earlierQuery("", history)).toBe("new");
  expect(earlierQuery("new", history)).toBe("old");
  expect(earlierQuery("old", history)).toBeNull();
  expect(laterQuery("old", history)).toBe("new");
  expect(laterQuery("new", history)).toBe("");
  expect(laterQuery("typed", history)).toBeNull();
});

it("survives what is not a history", () => {
  localStorage.setItem("logsieve.query-history", '{"a":1}');
  expect(readHistory()).toEqual([]);
  // The form of earlier versions, which did not store whose queries these are.
  localStorage.setItem("logsieve.query-history", '["a","b"]');
  expect(readHistory()).toEqual([]);
  localStorage.setItem("logsieve.query-history", '[["demo",7]]');
  expect(readHistory()).toEqual([]);
  localStorage.setItem("logsieve.query-history", "[");
  expect(readHistory()).toEqual([]);
});

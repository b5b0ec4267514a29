// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { prepareBrowser } from "../testing/renderApp";
import { resultList } from "../testing/resultList";
import { sampleLog } from "../testing/sampleLog";

prepareBrowser();

const listOf = (ids: readonly string[], listId: string, isQuiet = false) =>
  resultList(
    ids.map((id) => sampleLog({ id })),
    { listId, isQuiet },
  );

it.each<[name: string, next: React.ReactElement, top: number]>([
  ["returns to the top for the rows of another run", listOf(["2"], "second"), 0],
  ["stays where it is for more rows of the same run", listOf(["1", "2"], "first"), 400],
  ["stays where it is after an automatic refresh", listOf(["2", "1"], "second", true), 400],
])("%s", (_, next, top) => {
  const { rerender } = render(listOf(["1"], "first"));
  const list = screen.getByTestId(testIds.results);
  list.scrollTop = 400;
  rerender(next);
  expect(list.scrollTop).toBe(top);
});

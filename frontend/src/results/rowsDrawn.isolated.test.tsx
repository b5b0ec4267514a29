// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { prepareBrowser } from "../testing/renderApp";
import { resultList } from "../testing/resultList";
import { sampleLog } from "../testing/sampleLog";

const drawn = vi.hoisted(() => ({ rows: 0 }));
vi.mock("../text/MarkedText", () => ({
  MarkedText: () => {
    drawn.rows += 1;
    return <b>row</b>;
  },
}));

prepareBrowser();

it("does not draw rows anew that did not change", () => {
  const logs = [sampleLog({ id: "1" }), sampleLog({ id: "2" })];
  const list = () => resultList(logs);
  const { rerender } = render(list());
  expect(screen.getAllByText("row")).toHaveLength(2);
  const before = drawn.rows;
  rerender(list());
  expect(drawn.rows).toBe(before);
});

// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { stubResizeObserver } from "../testing/stubResizeObserver";
import { readJson } from "./jsonNode";
import { RowActions } from "./RowActions";

it("offers each address of a value once", () => {
  stubResizeObserver();
  const source = '{"urls":"http://a http://a http://a http://b"}';
  const [node] = readJson(source) ?? [];
  if (node === undefined) throw new Error("the source has no member");
  const nothing = () => {};
  render(
    <RowActions
      node={node}
      source={source}
      member="attributes"
      isMenuOpen
      onMenu={nothing}
      onMenuClosed={nothing}
      onFilter={nothing}
      onTerm={nothing}
    />,
  );
  const links = screen.getAllByText(/^Open http/).map(({ textContent }) => textContent);
  expect(links).toEqual(["Open http://a", "Open http://b"]);
});

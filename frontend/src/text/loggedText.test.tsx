// @vitest-environment jsdom
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { LoggedText } from "./LoggedText";

it("draws a bounded number of signs, and keeps the whole text for copying", () => {
  const text = "\u0001".repeat(200_000);
  const { container } = render(<LoggedText text={text} />);
  const signs = [...container.querySelectorAll("[data-sign]")].map((sign) => sign.getAttribute("data-sign"));
  expect(signs).toHaveLength(10_001);
  expect(signs[0]).toBe("\\x01");
  expect(signs.at(-1)).toBe("… 190,000 more characters");
  expect(container.textContent).toBe(text);
});

it("draws a text completely that has fewer signs", () => {
  const { container } = render(<LoggedText text={"\u0001a".repeat(100)} />);
  expect(container.querySelectorAll("[data-sign]")).toHaveLength(100);
});

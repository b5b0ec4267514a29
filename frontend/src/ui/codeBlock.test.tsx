// @vitest-environment jsdom
import { fireEvent, render } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { CodeBlock } from "./CodeBlock";

it("copies the whole key when the shown command is selected", () => {
  const { container } = render(<CodeBlock title="Set key" code="KEY='ls_1_••••'" copied="KEY='ls_1_abcd'" />);
  const shown = container.querySelector("code");
  if (shown === null) throw new Error("no code is shown");
  globalThis.getSelection()?.selectAllChildren(shown);
  const setData = vi.fn();
  fireEvent.copy(shown, { clipboardData: { setData } });
  expect(setData).toHaveBeenCalledWith("text/plain", "KEY='ls_1_abcd'");
});
